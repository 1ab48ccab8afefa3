# expect: tcp-ports-shut
on server iptables-legacy -P INPUT ACCEPT
DOWNLOAD=slow
