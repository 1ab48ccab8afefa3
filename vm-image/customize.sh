#!/bin/sh
# What has to happen to the unpacked guest before it becomes an image? mmdebstrap's last hooks run
# this inside it, with initramfs/ beside us; what stays outside the image is left in /lab-out.
set -eu
. "$(dirname -- "$0")/common.sh"

# openssh-server made keys of its own; the installation's come in when a guest boots.
find /etc/ssh -name 'ssh_host_*' -delete
# What was copied in has the modes that the checkout has on its host.
for folder in /etc /etc/ssh /usr /usr/local /usr/local/lib /usr/local/lib/lab; do
    chown 0:0 "$folder"
    chmod 755 "$folder"
done
chown -R 0:0 /etc/ssh /etc/inittab /usr/local/lib/lab /root
chmod 644 /etc/inittab /etc/ssh/sshd_config
gcc -O2 -static -Wall -Werror -o /usr/local/lib/lab/fork_client /usr/local/lib/lab/fork_client.c
chmod 755 /usr/local/lib/lab/*
/usr/local/lib/lab/kernel-cc -x c-header -o /usr/local/lib/lab/kernel.h.gch /usr/local/lib/lab/kernel.h
chmod 700 /root
# The tracers' objects, of labs/ as it is now. The image's name does not depend on labs/: what changes there later is
# compiled when a snapshot is made of it (labs/trace/objects.py), which takes an emulated compiler a second each.
find "$here/labs" -type d '(' -name solutions -o -name wrong ')' -prune -exec rm -r {} + # no answer is in a guest
(cd "$here" && python3 -m labs.trace.objects 64 /usr/local/lib/lab/objects)

# matplotlib would look at every font at the first import, which takes seconds under emulation.
HOME=/root python3 -c 'import matplotlib.font_manager'

# A notebook's kernel would make these folders each time.
HOME=/root python3 -c 'from IPython.core.profiledir import ProfileDir as P; from IPython.paths import get_ipython_dir as d
P.create_profile_dir_by_name(d(), "default")'

boots_from virtio_pci virtio_blk squashfs overlay
dpkg-query -W -f '${Package} ${Version}\n' >"$out/packages"
cleared
