"""`python -m host`: what the shell script `lab` hands over to."""

import signal
import sys

from host.cli import main

# Whoever is asked to end does so as after Ctrl-C: every block is left, and with it its guest ended.
signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
main(prog_name="./lab")
