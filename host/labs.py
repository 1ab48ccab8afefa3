"""How does a command of ./lab become one in a guest? Restore, copy labs/, run `python -m labs`."""

from host import cases, vm
from host.ssh import module_command


def in_throwaway(verb: str, name: str, as_json: bool) -> int:
    """Run `labs VERB CASE` in a guest of its own, its output passed through; its exit status."""
    case = cases.case(name)
    options = ["--json"] if as_json else []
    with vm.throwaway(case.profile) as guest:
        return guest.connection.run(module_command("labs", verb, name, *options)).returncode
