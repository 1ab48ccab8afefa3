# A bound socket has its address: udpv6_sendmsg() takes np->saddr, ip6_dst_lookup_tail() finds a source and
# asks nobody. What is given up: the address is this program's business now. If the node's address
# changes, bind() fails, or the packets go on leaving with one that nobody routes back.
import socket
import sys

count, *words = sys.argv[1:]
peers = [(words[0], int(words[1])), (words[2], int(words[3]))]
sender = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
sender.bind(("2001:db8:1::2", 0))
for _ in range(int(count)):
    for peer in peers:
        sender.sendto(b"?", peer)
