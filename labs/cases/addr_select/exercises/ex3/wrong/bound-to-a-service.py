# expect: own-source
# Fast, in the wrong name.
import socket
import sys

count, *words = sys.argv[1:]
peers = [(words[0], int(words[1])), (words[2], int(words[3]))]
sender = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
sender.bind(("2001:db8:5::4d", 0))
for _ in range(int(count)):
    for peer in peers:
        sender.sendto(b"?", peer)
