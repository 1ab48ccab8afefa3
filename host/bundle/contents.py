"""What does a first start take on a machine without a network? What ./lab would fetch or build there: folders of the
cache, each as it lies here. No key and no snapshot is among them; both are made on that machine."""

from pathlib import Path

from host.bundle import packages, wheels
from host.debian import source
from host.site import quoted
from host.vm import image, profile, qemu


def folders() -> list[Path]:
    """All of them, made if need be."""
    return [
        image.image().folder,
        *_qemus(),
        *map(Path, quoted.trees().values()),
        wheels.wheels(),
        *map(packages.packages, packages.SUITES),
    ]


def _qemus() -> list[Path]:
    """The QEMUs that are built here, and their source package. One that was linked with a newer Debian's libraries
    would not run on an older: then it is built from the source there."""
    recipes = sorted({recipe for name in profile.names() if (recipe := profile.profile(name).recipe)})
    built = recipes if packages.of_this_machine() == packages.SUITES[0] else []
    return [*(qemu.built(recipe).folder for recipe in built), *([source.fetched("qemu")] if recipes else [])]
