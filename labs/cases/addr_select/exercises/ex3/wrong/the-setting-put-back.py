# expect: without-root
# As it was, before anybody looks.
import socket
import sys

SETTING = "/proc/sys/net/ipv6/conf/node-eth0/use_oif_addrs_only"


def only_outgoing(value):
    with open(SETTING, "w") as setting:
        setting.write(value)


only_outgoing("1")
count, *words = sys.argv[1:]
peers = [(words[0], int(words[1])), (words[2], int(words[3]))]
sender = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
for _ in range(int(count)):
    for peer in peers:
        sender.sendto(b"?", peer)
only_outgoing("0")
