# The same, by a program that keeps a record of what it does where it is started.
import socket
import sys

count, *words = sys.argv[1:]
peers = [(words[0], int(words[1])), (words[2], int(words[3]))]
sender = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
sender.bind(("2001:db8:1::2", 0))
with open("sent", "w") as record:
    for number in range(int(count)):
        for peer in peers:
            sender.sendto(b"?", peer)
        print(number, file=record)
