# What happens to every unpacked guest, the VM's and the tab's, before it becomes an image? Read by customize.sh and
# tab/customize.sh, which run inside it, with initramfs/ beside them; what stays outside is left in /lab-out.
here=$(dirname -- "$0")
release=$(basename /lib/modules/*)
out=/lab-out
mkdir "$out"

# Any Python finds labs/, and so does Mininet's `mn`, which runs a case's network.py as its own (--custom).
echo /root/lab >/usr/lib/python3/dist-packages/lab.pth

# What the labs' web server speaks TLS with; on a curve, for RSA takes seconds under emulation.
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 3650 -subj /CN=vip \
    -keyout /etc/ssl/lab.key -out /etc/ssl/lab.pem

# The kernel, and the initramfs: busybox, our init, and the modules between power-on and the root file system.
boots_from() {
    stage=/tmp/stage
    mkdir -p "$stage/bin" "$stage/modules" "$stage/dev" "$stage/lower" "$stage/upper" "$stage/root"
    cp "$here/initramfs/init" "$stage/init"
    chmod 755 "$stage/init"
    cp /usr/bin/busybox "$stage/bin/busybox"
    ln -s busybox "$stage/bin/sh"
    order=10
    for module in "$@"; do
        modprobe -S "$release" --show-depends "$module"
    done | awk '$1 == "insmod" && !seen[$2]++ { print $2 }' | while read -r path; do
        cp "$path" "$stage/modules/$order-$(basename "$path")"
        order=$((order + 1))
    done
    (cd "$stage" && find . | busybox cpio -o -H newc) >"$out/initramfs"
    cp "/boot/vmlinuz-$release" "$out/vmlinuz"
    printf '%s\n' "$release" >"$out/release"
}

cleared() {
    echo packets >/etc/hostname
    echo "127.0.0.1 localhost packets" >/etc/hosts
    rm -rf /boot/* /var/cache/* /var/lib/apt/lists/* /var/log/* "$stage" "$here"
    mkdir -p /var/log/nginx /root/lab # labs/ comes there when a guest is used
}
