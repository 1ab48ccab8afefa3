"""How does a page have a Python module run in its guest? Over a serial line, by a fork of this process, as the VM's
does over a socket (fork_server.py). A line is a JSON object. The page sends

    {"module": "labs", "arguments": ["check", "frag-needed/1"], "variables": {}, "stdin": "…"}

and gets, in their order, as they come,

    {"out": "a line"}, {"err": "a line"}    what it prints
    {"status": 0}                           it has ended, with all that it had started; negative: by that signal

With "open": true its standard input stays open: each {"stdin": "…"} that follows is more of it.

One runs at a time: another request ends the one before it; who wants none ends the machine. What takes long to prepare
is begun before the guest is saved: the request in HELD is started then, and waits for its standard input, once it has
said its first line. Who asks for the same gets that one, with the standard input that is sent; who asks for anything
else ends it. For a guest that is saved once more, {"hold": …} has another request in its place, and {"status": 0} says
that it waits.
"""

import contextlib
import fcntl
import json
import os
import select
import signal
import sys
import termios
import tty

from fork_server import CGROUPS, EVERYWHERE, begin, end, freeze, import_all

LINE, CONSOLE = "/dev/ttyS1", "/dev/console"
HELD = "/usr/local/lib/lab/held.json"


class SerialLine:
    """The serial line: whole lines in, JSON objects out."""

    def __init__(self, path):
        self.descriptor = os.open(path, os.O_RDWR | os.O_NOCTTY)
        tty.setraw(self.descriptor, termios.TCSANOW)
        self.partial = b""

    def fileno(self):
        """For select()."""
        return self.descriptor

    def requests(self):
        """Each whole line that has come."""
        *lines, self.partial = (self.partial + os.read(self.descriptor, 65536)).split(b"\n")
        return [json.loads(line) for line in lines if line.strip()]

    def say(self, **said):
        """One object, whole."""
        left = json.dumps(said, separators=(",", ":")).encode() + b"\n"
        while left:
            left = left[os.write(self.descriptor, left) :]


class Running:
    """A request that is worked on: what it prints goes to the page as `out` and `err`."""

    number = 0

    def __init__(self, request):
        Running.number += 1
        self.asked = [request["module"], *request.get("arguments", [])], request.get("variables", {})
        self.group = os.path.join(CGROUPS, f"lab-{Running.number}")
        stdin, self.stdin = os.pipe()
        pipes = {kind: os.pipe() for kind in ("out", "err")}
        fds = [stdin, *(writes for _, writes in pipes.values())]
        others = [self.stdin, *(reads for reads, _ in pipes.values())]
        self.kinds = {reads: kind for kind, (reads, _) in pipes.items()}
        self.partial = dict.fromkeys(self.kinds, b"")
        self.worker = begin(self.asked[::-1], fds, self.group, lambda: [os.close(each) for each in others])
        for each in fds:
            os.close(each)
        self.pidfd = os.pidfd_open(self.worker)
        self.is_asked_for = False

    def give(self, text, more_follows=False):
        """Standard input; all of it, unless more follows."""
        self.is_asked_for = True
        data = text.encode()
        with contextlib.suppress(BrokenPipeError):  # it ends, or has closed it
            if len(data) > fcntl.fcntl(self.stdin, fcntl.F_GETPIPE_SZ):
                fcntl.fcntl(self.stdin, fcntl.F_SETPIPE_SZ, len(data))  # so that nobody waits for who reads it
            os.write(self.stdin, data)
        if not more_follows:
            os.close(self.stdin)
            self.stdin = None

    def until_it_prints(self):
        """Each complaint until it prints a line, which is left where it is, or ends."""
        (out,) = [reads for reads, kind in self.kinds.items() if kind == "out"]
        while out not in (ready := select.select([*self.kinds], [], [])[0]):
            yield from (line for reads in ready for _, line in self.lines(reads))

    def has_printed(self):
        """Whether there is a line to be read; if not, it has ended."""
        (out,) = [reads for reads, kind in self.kinds.items() if kind == "out"]
        return any(fcntl.ioctl(out, termios.FIONREAD, bytes(4)))

    def lines(self, descriptor):
        """What has come of one, in whole lines, as (kind, line); the last may lack its end."""
        data = os.read(descriptor, 65536)
        kind = self.kinds[descriptor]
        *lines, self.partial[descriptor] = (self.partial[descriptor] + data).split(b"\n")
        if not data:
            del self.kinds[descriptor]
            os.close(descriptor)
            lines += [rest] if (rest := self.partial.pop(descriptor)) else []
        return [(kind, line.decode(errors="replace")) for line in lines]

    def ended(self):
        """Its status, once it has ended, with all that it has left behind."""
        status = os.waitstatus_to_exitcode(os.waitpid(self.worker, 0)[1])
        end(self.group)
        return status

    def close(self):
        """Let go of what is held of it."""
        for each in (self.pidfd, *self.kinds, *([] if self.stdin is None else [self.stdin])):
            os.close(each)

    def kill(self):
        """End all of it."""
        end(self.group)
        os.waitpid(self.worker, 0)
        self.close()


def main():
    """Imports, begins what is held, says that it is ready, and obeys."""
    import_all(EVERYWHERE)
    freeze()
    serial, running = SerialLine(LINE), None
    if os.path.exists(HELD):
        with open(HELD) as file:
            running = hold(json.load(file))
    held = running
    with open(CONSOLE, "w") as console:
        console.write(f"lab: ready {os.uname().release}\n")
    while True:
        # What waits for its standard input is heard once it is asked for.
        heard = [running.pidfd, *running.kinds] if running and running.is_asked_for else []
        ready, _, _ = select.select([serial, *heard], [], [])
        if serial in ready:
            for request in serial.requests():
                if "hold" in request:
                    if running:
                        running.kill()
                    running = held = hold(request["hold"])
                    serial.say(status=0)
                else:
                    running = obey(request, running, held)
            continue
        for descriptor in [each for each in ready if each in running.kinds]:
            for kind, line in running.lines(descriptor):
                serial.say(**{kind: line})
        if ready == [running.pidfd]:  # and there is nothing more to read
            status = running.ended()
            running.close()
            running = None
            serial.say(status=status)


def hold(request):
    """Begin what waits for its standard input, and wait until it does. One that ends instead is the end of this."""
    begun = Running(request)
    with open(CONSOLE, "w", buffering=1) as console:
        said = list(begun.until_it_prints())
        if begun.has_printed():
            return begun
        said += [line for each in list(begun.kinds) for _, line in begun.lines(each)]
        console.write(f"lab: failed {said[-1] if said else 'what is to be held has ended'}\n")
    sys.exit(1)  # to save this would be to save nothing


def obey(request, running, held):
    """What runs now."""
    if "module" not in request:  # more for what runs, if it has not ended meanwhile
        if running and running.is_asked_for and running.stdin is not None:
            running.give(request["stdin"], more_follows=True)
        return running
    asked = [request["module"], *request.get("arguments", [])], request.get("variables", {})
    if not (running and running is held and not running.is_asked_for and running.asked == asked):
        if running:
            running.kill()
        running = Running(request)
    running.give(request.get("stdin", ""), request.get("open", False))
    return running


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    main()
