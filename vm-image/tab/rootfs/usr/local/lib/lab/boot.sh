#!/bin/busybox sh
# What does the tab's guest need before anything runs? Mounts, and what labs would load one by one.
/usr/local/lib/lab/mounts.sh
xargs modprobe -a </usr/local/lib/lab/modules
dmesg -n 1
