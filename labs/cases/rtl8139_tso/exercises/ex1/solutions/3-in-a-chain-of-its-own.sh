# As on a server that has had its rules for years: a chain for ICMP, refilled by whoever runs the script again, and in
# front of it what belongs to connections. The word is a variable of the shell's, with quotes and capitals as in any script.
firewall() { on server iptables-legacy "$@"; }
firewall -D INPUT -p icmp -j about-packets 2>/dev/null
firewall -N about-packets 2>/dev/null || firewall -F about-packets
firewall -A about-packets -p icmp --icmp-type fragmentation-needed -s 10.8.1.1 -j ACCEPT
firewall -A INPUT -m conntrack --ctstate ESTABLISHED,RELATED -j ACCEPT
firewall -A INPUT -p icmp -j about-packets

hotfix=no
if [ "$hotfix" = yes ]; then DOWNLOAD=fast; fi
  export DOWNLOAD="${DOWNLOAD:-Slow}"
