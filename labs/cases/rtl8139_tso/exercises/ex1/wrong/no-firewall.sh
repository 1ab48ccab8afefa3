# expect: lets in TCP to port
on server iptables-legacy -P INPUT ACCEPT
DOWNLOAD=slow
