#!/bin/busybox sh
# What does the guest need before anyone logs in? Mounts, names and one network card.
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
mkdir -p /dev/pts /dev/shm
mount -t devpts devpts /dev/pts
mount -t tmpfs -o mode=1777 tmpfs /dev/shm
mount -t tmpfs tmpfs /run
mount -t tmpfs -o mode=1777 tmpfs /tmp
mount -t debugfs debugfs /sys/kernel/debug
mount -t tracefs tracefs /sys/kernel/tracing
mount -t bpf bpf /sys/fs/bpf
mount -t cgroup2 cgroup2 /sys/fs/cgroup
mkdir -p /run/sshd /run/lab
hostname -F /etc/hostname
# No udev runs to do this.
modprobe -a virtio_net virtio_rng
ip link set lo up
ip link set eth0 up
ip address add 10.0.2.15/24 dev eth0
