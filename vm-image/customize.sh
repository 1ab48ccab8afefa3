#!/bin/sh
# What has to happen to the unpacked guest before it becomes an image? mmdebstrap's last hooks run
# this inside it, with initramfs/ beside us; what stays outside the image is left in /lab-out.
set -eu
here=$(dirname -- "$0")
release=$(basename /lib/modules/*)
out=/lab-out
mkdir "$out"

# openssh-server made keys of its own; ours is the installation's.
find /etc/ssh -name 'ssh_host_*' ! -name ssh_host_ed25519_key -delete
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
chmod 700 /root /root/.ssh
chmod 600 /root/.ssh/authorized_keys /etc/ssh/ssh_host_ed25519_key

# Any Python finds labs/, and so does Mininet's `mn`, which runs a case's network.py as its own (--custom).
echo /root/lab >/usr/lib/python3/dist-packages/lab.pth

# What the labs' web server speaks TLS with; on a curve, for RSA takes seconds under emulation.
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 3650 -subj /CN=vip \
    -keyout /etc/ssl/lab.key -out /etc/ssl/lab.pem

# matplotlib would look at every font at the first import, which takes seconds under emulation.
HOME=/root python3 -c 'import matplotlib.font_manager'

# A notebook's kernel would make these folders each time.
HOME=/root python3 -c 'from IPython.core.profiledir import ProfileDir as P; from IPython.paths import get_ipython_dir as d
P.create_profile_dir_by_name(d(), "default")'

# The initramfs: busybox, our init, and the modules between power-on and the root file system.
stage=/tmp/stage
mkdir -p "$stage/bin" "$stage/modules" "$stage/dev" "$stage/lower" "$stage/upper" "$stage/root"
cp "$here/initramfs/init" "$stage/init"
chmod 755 "$stage/init"
cp /usr/bin/busybox "$stage/bin/busybox"
ln -s busybox "$stage/bin/sh"
order=10
for module in virtio_pci virtio_blk squashfs overlay; do
    modprobe -S "$release" --show-depends "$module"
done | awk '$1 == "insmod" && !seen[$2]++ { print $2 }' | while read -r path; do
    cp "$path" "$stage/modules/$order-$(basename "$path")"
    order=$((order + 1))
done
(cd "$stage" && find . | busybox cpio -o -H newc) >"$out/initramfs"

cp "/boot/vmlinuz-$release" "$out/vmlinuz"
printf '%s\n' "$release" >"$out/release"
dpkg-query -W -f '${Package} ${Version}\n' >"$out/packages"

echo packets >/etc/hostname
echo "127.0.0.1 localhost packets" >/etc/hosts
rm -rf /boot/* /var/cache/* /var/lib/apt/lists/* /var/log/* "$stage" "$here"
mkdir -p /var/log/nginx /root/lab # labs/ comes there over ssh when a guest is used
