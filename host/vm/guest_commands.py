"""How does a command of ./lab become one in a guest? Restore, copy labs/, run `python -m labs`."""

import json
import sys

from core import cases
from core.statuses import Status
from host.errors import LabError
from host.phases import say
from host.terminal_escape import escaped_json
from host.vm import guests
from host.vm.call import call_json, stream
from host.vm.image import Kernel
from host.vm.machine import Guest, GuestDied, last_words
from host.vm.profile import on
from host.vm.ssh import GUEST_FOLDER

MEANT = set(Status) - {Status.UNREAD}  # what `python -m labs` ends with on purpose
WITH_OBJECT = MEANT - {Status.USAGE, Status.INTERRUPTED}  # after which there is an object, if one was asked for


def in_throwaway(
    verb: str,
    name: str,
    as_json: bool,
    changed: tuple[str, ...] = (),
    rounds: int | None = None,
    linux: Kernel | None = None,
) -> int:
    """Run `labs VERB CASE` in a guest of its own, its output passed through; its exit status.

    `changed` are "NAME=VALUE" words; what the case does not take is said before a guest is started. With `rounds` it
    is run so many times there, each with hosts of its own. The kernel is the book's, or `linux`.
    """
    case = cases.case(name)
    options = ["--json"] if as_json else []
    for setting, value in case.set(list(changed)).items():
        options += ["--set", f"{setting}={value}"]
    options += ["--rounds", str(rounds)] if rounds else []
    with guests.throwaway(on(case.profile, linux)) as guest:
        call = _printed if as_json else stream
        status = call(guest, "labs", verb, name, *options)
        if not guest.survived(status):
            again = f"./lab {verb} {name}" + (f" --kernel {linux.name}" if linux else "")
            raise GuestDied(f"QEMU died during the {verb}: {guest.death()}\n{last_words(guest)}", again)
    if status not in MEANT:
        raise LabError(f"the {verb} was cut short (status {status}); its words are above", "./lab doctor")
    return status


def at_prompt(name: str, profile: str = "", linux: Kernel | None = None) -> int:
    """Mininet's command line on the case's network, in the reader's guest of the case's profile; its exit status. In a
    Python of its own: one from the fork server would have no terminal, and Ctrl-C would end it."""
    case = cases.case(name)
    ours = on(case.profile, linux)
    if profile not in ("", case.profile, ours):
        raise LabError(f"{name} is for the VM {case.profile}, not {profile}", f"./lab shell {name}", Status.USAGE)
    connection = guests.up(ours).connection
    return connection.command(["env", "-C", GUEST_FOLDER, "python3", "-m", "labs", "shell", name])


def _printed(guest: Guest, *words: str) -> int:
    """Shows the one object that is printed, and nothing else that is."""
    result = call_json(guest, *words)
    if result.said:
        say(result.said)
    if not result.why:
        sys.stdout.write(escaped_json(json.dumps(result.found)) + "\n")
    elif result.status in WITH_OBJECT and guest.alive():
        raise LabError(f"the {words[1]} could not tell: {result.why}", f"./lab {' '.join(words[1:3])}")
    return result.status
