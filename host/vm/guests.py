"""Which guest serves a call? The reader's own, which stays up between calls, or a throwaway one,
restored for one call so that nothing of a run, an answer or a crash is left for the next."""

import contextlib
import os
from collections.abc import Callable, Iterator

from host import paths, store
from host.phases import phase
from host.vm import snapshot
from host.vm.image import kernels
from host.vm.machine import Guest, GuestDied, last_words
from host.vm.profile import Profile, names
from host.vm.ssh import Connection

ANSWER_DEADLINE_S = 90
BeforeStop = Callable[[Connection], None]  # called with a guest's connection before the guest is ended


def no_op(connection: Connection) -> None:
    """Take nothing from a guest before it is ended."""


def _guest_symlink(name: str):
    """A symbolic link to the folder of the reader's guest of this profile."""
    return paths.run() / f"up-{name}"


def running_guest(name: str = "stock") -> Guest | None:
    """The reader's guest if it is up."""
    guest = Guest.saved(_guest_symlink(name))
    return guest if guest and guest.alive() else None


def up(name: str = "stock") -> Guest:
    """The reader's guest, restored if it is not up, awake and with labs/ as it stands now."""
    guest = running_guest(name)
    if guest:
        if not guest.connection.first_contact(ANSWER_DEADLINE_S):
            raise GuestDied(f"the guest is up and does not answer\n{last_words(guest)}", "./lab reset")
        return guest
    snapshot.snapshot(name)  # may ask for a password, which a status line would hide
    with phase(f"guest {name}: up"):
        return _up(name, snapshot.restore)


def resumed(name: str = "stock") -> Guest:
    """The reader's guest, resumed if it is not up; whoever calls makes the first contact."""
    return running_guest(name) or _up(name, snapshot.resume)


def _up(name: str, wake) -> Guest:
    snapshot.snapshot(name)  # minutes, the first time: not while others wait for the lock
    with store.locked(f"up-{name}"):
        guest = running_guest(name)
        if guest:
            return guest
        _down(name)  # what a dead one left behind
        guest = wake(name, outlives_us=True)
        try:
            aside = guest.folder / "link"
            os.symlink(guest.folder, aside)
            os.replace(aside, _guest_symlink(name))
        except BaseException:
            guest.end()
            raise
        return guest


def down(name: str = "stock", before_stop: BeforeStop = no_op) -> bool:
    """End the reader's guest; True if there was one. `before_stop` runs first, to take what outlives it."""
    with store.locked(f"up-{name}"):
        return _down(name, before_stop)


def _down(name: str, before_stop: BeforeStop = no_op) -> bool:
    guest = Guest.saved(_guest_symlink(name))
    was_alive = guest is not None and guest.alive()
    if was_alive:
        before_stop(guest.connection)
    if guest:
        guest.end()
    _guest_symlink(name).unlink(missing_ok=True)
    return was_alive


def reset(name: str = "stock", before_stop: BeforeStop = no_op) -> Guest:
    """The reader's guest, back at its snapshot; `before_stop` as in `down`."""
    with phase(f"guest {name}: back to its snapshot"):
        down(name, before_stop)
        return _up(name, snapshot.restore)


def running_profiles() -> list[str]:
    """The profiles whose guest of the reader's is up, with whichever kernel."""
    return [name for linux in kernels() for name in names(linux) if running_guest(name)]


@contextlib.contextmanager
def throwaway(which: str | Profile = "stock") -> Iterator[Guest]:
    """A guest for this call alone, ended when the block ends or this process dies."""
    guest = snapshot.restore(which)
    try:
        yield guest
    finally:
        guest.end()
