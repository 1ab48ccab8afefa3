# expect: few-questions
# Three packets from each socket, then another: cheaper than one for each packet, and still the walk, again and again.
import socket
import sys

count, *words = sys.argv[1:]
for peer in zip(words[::2], map(int, words[1::2])):
    for number in range(int(count)):
        if number % 3 == 0:
            sender = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
            sender.connect(peer)
        sender.send(b"?")
