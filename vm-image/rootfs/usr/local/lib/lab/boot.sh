#!/bin/busybox sh
# What does the VM need before anyone logs in? Mounts, names and one network card.
/usr/local/lib/lab/mounts.sh
mkdir -p /run/sshd
# No udev runs to do this.
modprobe -a virtio_net virtio_rng
ip link set eth0 up
ip address add 10.0.2.15/24 dev eth0
