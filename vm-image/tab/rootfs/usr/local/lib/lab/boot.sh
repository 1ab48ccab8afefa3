#!/bin/busybox sh
# What does the tab's guest need before anything runs? Mounts, and what labs would load one by one.
/usr/local/lib/lab/mounts.sh
ln -s /usr/local/lib/lab/objects /run/lab-objects # see labs/trace/objects.py
xargs modprobe -a </usr/local/lib/lab/modules
dmesg -n 1
