"""On which machine is an answer judged? On the chapter's, where the judge applies the answer; or on
one that the answer makes: with the cards that it chooses (`applies = "profile"` in exercise.toml), or
on a QEMU with its C in a device (`applies = "device"`)."""

import contextlib
import dataclasses
import tempfile
from collections.abc import Iterator
from pathlib import Path

from core.cases import EMPTY, Exercise, is_empty, not_answered
from core.judge.check import Check
from host import paths
from host.debian import installed
from host.exercises.device import DoesNotBuild, rebuilt
from host.phases import phase
from host.sandbox import confined
from host.vm import cards, qemu
from host.vm.profile import Profile, profile


class NoMachine(Exception):
    """The answer makes no machine, for these `reasons`; the check that it failed by that."""

    def __init__(self, id: str, expected: str, reasons: list[str]):
        super().__init__("; ".join(reasons))
        self.reasons = reasons
        self.check = Check(id, False, expected, "\n".join(reasons))


class Lacking(Exception):
    """This host cannot make the answer's machine: what it lacks, and the command that fixes it."""


@contextlib.contextmanager
def machine(
    exercise: Exercise, profile_name: str, answer: str, label: str, unconfined: bool = False
) -> Iterator[Profile]:
    """The machine to judge this answer on; messages call the answer `label`. One that is a program of this machine is
    confined, unless its reader wants it `unconfined`."""
    ours = profile(profile_name)
    if exercise.applies == "guest":
        yield ours
        return
    if is_empty(answer):
        raise NoMachine("answered", "an answer", [not_answered(EMPTY)])
    if exercise.applies == "profile":
        yield _with_cards(exercise, ours, answer)
        return
    with tempfile.TemporaryDirectory(prefix="device-", dir=paths.cache()) as folder:
        yield _with_device(exercise, ours, answer, label, Path(folder), unconfined)


def _with_cards(exercise: Exercise, ours: Profile, answer: str) -> Profile:
    try:
        chosen = cards.chosen(ours.cards, answer, exercise.may_change)
    except cards.NoCard as reason:
        raise NoMachine("card-to-choose", "cards that this machine can have", [str(reason)]) from reason
    return dataclasses.replace(ours, instead=chosen)


def _with_device(exercise: Exercise, ours: Profile, answer: str, label: str, folder: Path, unconfined: bool) -> Profile:
    lacking = installed.missing(installed.QEMU_BUILD)
    if lacking:
        raise Lacking(
            f"this host lacks what builds QEMU: {' '.join(lacking)}. Next: {installed.install_command(lacking)}"
        )
    if not unconfined and (why := confined.refusal()):
        raise Lacking(
            f"this C would run on your machine, and nothing here keeps it from your files: {why}; or, to let "
            "it do whatever you can do: --unconfined"
        )
    built = qemu.built(ours.recipe)
    try:
        with phase("QEMU with your device: compiling and linking it"):
            binary = rebuilt(built, exercise.replaces, exercise.unit, answer, label, folder, unconfined)
    except DoesNotBuild as refused:
        reasons = ["the answer does not compile:", *refused.reasons]
        raise NoMachine("compiles", "C that compiles", reasons) from refused
    return dataclasses.replace(ours, binary=str(binary), confined=None if unconfined else folder)
