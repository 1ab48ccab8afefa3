"""`python -m host`: what the shell script `lab` hands over to."""

from host import environment

try:
    from host.cli import main
    from host.commands import end_as_by_ctrl_c

    end_as_by_ctrl_c()
    main(prog_name="./lab")
except (ImportError, SyntaxError) as error:  # subcommands import what they need when they are called
    environment.repair_if_damaged(error)
    raise
