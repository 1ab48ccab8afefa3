# expect: few-questions
# It tries, and does not mind that it may not.
import contextlib
import socket
import sys

with contextlib.suppress(OSError), open("/proc/sys/net/ipv6/conf/node-eth0/use_oif_addrs_only", "w") as setting:
    setting.write("1")

count, *words = sys.argv[1:]
peers = [(words[0], int(words[1])), (words[2], int(words[3]))]
sender = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
for _ in range(int(count)):
    for peer in peers:
        sender.sendto(b"?", peer)
