# expect: packets-arrive
# A connected socket sends to its peer.
import socket
import sys

count, *words = sys.argv[1:]
peers = [(words[0], int(words[1])), (words[2], int(words[3]))]
sender = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
sender.connect(peers[0])
for _ in range(int(count)):
    for peer in peers:
        sender.send(b"?")
