# expect: says-download
# The line is there, and bash never comes to it.
on server iptables-legacy -A INPUT -p icmp --icmp-type fragmentation-needed -j ACCEPT
cat >/dev/null <<'END'
DOWNLOAD=slow
END
(DOWNLOAD=slow)
