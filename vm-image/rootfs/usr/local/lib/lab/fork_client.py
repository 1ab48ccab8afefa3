"""How is a module run in a Python that has its imports already? By asking the fork server.

Usage: fork_client.py MODULE [ARGUMENT ...], like `python3 -m`. Exits with the module's status.
When the reader of our output is gone (ssh was cut, say), so are we, and with us the module's
whole process tree: the fork server watches the connection.
"""

import json
import os
import select
import signal
import socket
import sys

SOCKET = "/run/lab/fork.sock"
PASSED_ON = ("PATH", "HOME", "LANG", "TERM", "COLUMNS", "PYTHONUNBUFFERED")


def main():
    server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        server.connect(SOCKET)
    except OSError as error:
        sys.exit(f"lab: the guest's fork server does not answer ({error}). Next: ./lab reset")
    request = {
        "module": sys.argv[1],
        "arguments": sys.argv[2:],
        "cwd": os.getcwd(),
        "env": {name: os.environ[name] for name in PASSED_ON if name in os.environ},
    }
    socket.send_fds(server, [json.dumps(request).encode()], [0, 1, 2])
    signal.signal(signal.SIGTERM, lambda *_: os._exit(143))
    poll = select.poll()
    poll.register(server, select.POLLIN)
    poll.register(1, 0)  # POLLERR and POLLHUP need no asking for
    while True:
        for fd, _ in poll.poll():
            if fd != server.fileno():
                os._exit(141)
            answer = server.recv(4096)
            if not answer:
                sys.exit("lab: the fork server ended the request")
            status = json.loads(answer)["status"]
            os._exit(status if status >= 0 else 128 - status)


if __name__ == "__main__":
    main()
