"""What the book says of its own costs, on whatever machine; see host/recording/conclusions.py and
./lab bench --record."""


def a_snapshot_is_sooner_than_a_boot(figures):
    """A guest that goes on from its kept moment answers sooner than one that boots."""
    assert figures.snapshot_to_shell_s.median <= figures.cold_boot_s.median / 2


def a_cell_is_sooner_than_a_boot(figures):
    """A cell of a notebook is answered sooner than a boot takes."""
    assert figures.kernel_to_cell_s.median < figures.cold_boot_s.median


def a_device_is_a_small_part(figures):
    """An answer in C costs a small part of what QEMU cost."""
    assert figures.device_rebuild_s.median <= figures.qemu_build_s.median / 5
