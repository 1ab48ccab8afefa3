"""`python -m host`: what the shell script `lab` hands over to."""

from host.cli import main

main(prog_name="./lab")
