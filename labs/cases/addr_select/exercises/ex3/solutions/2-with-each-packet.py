# IPV6_PKTINFO (RFC 3542, 6.2) says the source of one packet; the kernel only looks whether the host has that
# address. A server that answers in the name of the address it was asked at does this anyway. What is
# given up: every program has to do it, with every packet.
import socket
import struct
import sys

count, *words = sys.argv[1:]
peers = [(words[0], int(words[1])), (words[2], int(words[3]))]
sender = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
told = struct.pack("16sI", socket.inet_pton(socket.AF_INET6, "2001:db8:1::2"), 0)
for _ in range(int(count)):
    for peer in peers:
        sender.sendmsg([b"?"], [(socket.IPPROTO_IPV6, socket.IPV6_PKTINFO, told)], 0, peer)
