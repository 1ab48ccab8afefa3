"""Do README.md and the book say the same of what the lab costs, and only what was measured?"""

import json
import shutil
import subprocess

import pytest

from core.statuses import Status
from host import bench
from host.errors import LabError
from host.paths import REPOSITORY
from host.recording import record

README = (REPOSITORY / "README.md").read_text("utf-8")
PROVENANCE = {"kernel": "6.1", "qemu": "7.2", "acceleration": "tcg", "date": "2026-11-20", "commit": "abc"}


def measured(**other: float) -> dict:
    """Figures of a machine that is not this one."""
    medians = dict.fromkeys(bench.GOALS, 1.25) | {"cold_boot_s": 6.0, "qemu_build_s": 90.0, "image_mb": 376.5} | other
    return {
        "acceleration": "kvm",
        "qemu": "9.9.9",
        "cpus": 64,
        "figures": {
            name: {"median": median, "runs": [median], "goal": bench.GOALS[name]} for name, median in medians.items()
        },
    }


def test_the_figures_stand_between_the_marks_and_nothing_else_changes():
    text = bench.in_readme(README, measured())
    assert "on 64 cores with QEMU 9.9.9 and KVM:" in text and "| the VM's disk | 376 MB |" in text
    assert "| cold boot to a shell's answer (once) | 6.0 s |" in text
    timed = [name for name in bench.GOALS if not name.endswith("_mb")]
    assert len([line for line in text.splitlines() if line.endswith(" s |")]) == len(timed)
    assert bench.BETWEEN_MARKS.sub("", text) == bench.BETWEEN_MARKS.sub("", README)
    assert bench.in_readme(text, measured()) == text


def test_a_readme_without_marks_is_not_written_to():
    with pytest.raises(LabError, match="expected the marks"):
        bench.in_readme("# Where Packets Wait\n", measured())


def test_the_readme_says_what_is_recorded():
    recorded = json.loads((record.RECORDINGS / "bench.json").read_text("utf-8"))
    assert bench.in_readme(README, recorded) == README


def test_figures_are_stored_with_their_origin_if_they_lead_where_the_book_does(tmp_path, monkeypatch):
    (tmp_path / "README.md").write_text(README)
    shutil.copy(record.RECORDINGS / "bench.conclusions.py", tmp_path)
    monkeypatch.setattr(record, "RECORDINGS", tmp_path)
    monkeypatch.setattr(record, "provenance", lambda: PROVENANCE)
    monkeypatch.setattr(bench.paths, "REPOSITORY", tmp_path)
    with pytest.raises(LabError, match="does not follow from them"):
        bench.store(measured(snapshot_to_shell_s=5.9))
    assert not (tmp_path / "bench.json").exists() and (tmp_path / "README.md").read_text() == README
    bench.store(measured())
    assert json.loads((tmp_path / "bench.json").read_text()) == {"provenance": PROVENANCE, **measured()}
    assert "QEMU 9.9.9" in (tmp_path / "README.md").read_text()


def test_a_run_that_could_not_tell_is_kept_as_such_and_half_of_them_are_too_many():
    def call(status: int) -> float:
        subprocess.run(["sh", "-c", f"exit {status}"], check=True)
        return 1.23456

    assert [bench.figure_of(lambda: call(status)) for status in (0, Status.COULD_NOT_TELL)] == [1.235, None]
    with pytest.raises(subprocess.CalledProcessError):
        bench.figure_of(lambda: call(Status.FAILS))
    assert bench.median("run", [3.0, None, 1.0, 2.0, None]) == 2.0
    with pytest.raises(LabError, match="3 of 5 runs"):
        bench.median("run", [3.0, None, 1.0, None, None])


def test_where_the_seconds_of_checks_go_is_a_table():
    took = {"wake": 1.0, "start": 0.5, "network": 1.25, "taking": 2.0, "judging": 0.2, "down": 0.1}
    head, row = bench.table({"rtl8139-tso/5": took}).splitlines()
    assert head.split()[-1] == "all" and row.split() == [
        "rtl8139-tso/5",
        "1.0",
        "0.5",
        "1.2",
        "2.0",
        "0.2",
        "0.1",
        "5.0",
    ]
    assert row.index("2.0") + 3 == head.index("taking") + len("taking")
