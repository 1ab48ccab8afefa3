# expect: requests-answered
# What nobody hears cannot be obeyed: A's segment is lost again and again.
on client iptables-legacy -A INPUT -p icmp -j DROP
