# expect: without-root
# The kernel is told the source, by the host's administrator.
import socket
import subprocess
import sys

ROUTE = "ip -6 route replace default via 2001:db8:1::1 src 2001:db8:1::2"
subprocess.run(ROUTE.split(), check=True)

count, *words = sys.argv[1:]
peers = [(words[0], int(words[1])), (words[2], int(words[3]))]
sender = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
for _ in range(int(count)):
    for peer in peers:
        sender.sendto(b"?", peer)
