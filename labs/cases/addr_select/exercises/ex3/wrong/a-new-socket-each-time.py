# expect: few-questions
# Connected each time, so asked each time.
import socket
import sys

count, *words = sys.argv[1:]
peers = [(words[0], int(words[1])), (words[2], int(words[3]))]
for _ in range(int(count)):
    for peer in peers:
        with socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as sender:
            sender.connect(peer)
            sender.send(b"?")
