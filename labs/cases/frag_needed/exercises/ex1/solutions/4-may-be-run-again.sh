# A script that is run at each boot finds what it left the last time, or nothing. So it deletes its rule before it adds it:
# the first command fails where there is none yet, and that is how it has to be.
rule="INPUT -p tcp -s 10.0.0.2 --tcp-flags SYN,RST SYN -j TCPMSS --set-mss 1440"
on client iptables-legacy -t mangle -D $rule
on client iptables-legacy -t mangle -A $rule
on client ip route show 10.0.0.2 | grep mtu
