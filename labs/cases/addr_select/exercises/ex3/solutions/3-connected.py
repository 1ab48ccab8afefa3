# connect() on a UDP socket asks once and keeps the answer, here for each of the two peers; the source is still
# the kernel's choice. What is given up: a socket for each peer, and a change of addresses or routes that
# comes after connect() is not noticed.
import socket
import sys

count, *words = sys.argv[1:]
peers = [(words[0], int(words[1])), (words[2], int(words[3]))]
senders = []
for peer in peers:
    senders.append(socket.socket(socket.AF_INET6, socket.SOCK_DGRAM))
    senders[-1].connect(peer)
for _ in range(int(count)):
    for sender in senders:
        sender.send(b"?")
