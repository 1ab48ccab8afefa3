"""How does a command of ./lab become one in a guest? Restore, copy labs/, run `python -m labs`."""

from host import cases, vm
from host.machine import GuestDied, last_words
from host.phases import LabError
from host.ssh import module_command

# What `python -m labs` says on purpose: reproduced, not, a wrong call, not to be tried, interrupted.
MEANT = (0, 1, 2, 3, 130)


def in_throwaway(verb: str, name: str, as_json: bool, changed: tuple[str, ...] = ()) -> int:
    """Run `labs VERB CASE` in a guest of its own, its output passed through; its exit status.

    `changed` are "NAME=VALUE" words; what the case does not take is said before a guest is started.
    """
    case = cases.case(name)
    options = ["--json"] if as_json else []
    for setting, value in case.set(list(changed)).items():
        options += ["--set", f"{setting}={value}"]
    with vm.throwaway(case.profile) as guest:
        status = guest.connection.run(module_command("labs", verb, name, *options)).returncode
        if not guest.alive():
            raise GuestDied(f"QEMU died during the {verb}\n{last_words(guest)}", f"./lab {verb} {name}")
    if status not in MEANT:
        raise LabError(f"the {verb} was cut short (status {status}); its words are above", "./lab doctor")
    return status
