# Exercise addr-select/3: two peers, ten packets to each. It works, and every packet pays.
# Run by the user nobody: python3 -I PROGRAM 10 PEER PORT PEER PORT
import socket
import sys

count, *words = sys.argv[1:]
peers = [(words[0], int(words[1])), (words[2], int(words[3]))]
sender = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
for _ in range(int(count)):
    for peer in peers:
        sender.sendto(b"?", peer)
