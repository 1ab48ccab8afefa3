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
BESIDE = {"check_right_s", "tab_first_s", "tab_measured"}
PROVENANCE = {"kernel": "6.1", "qemu": "7.2", "acceleration": "tcg", "date": "2026-11-20", "commit": "abc"}


def measured(**other: float) -> dict:
    """Figures of a machine that is not this one."""
    medians = dict.fromkeys(bench.GOALS, 1.25) | {"cold_boot_s": 6.0, "qemu_build_s": 90.0, "image_mb": 376.5}
    medians |= {"tab_measured": 10} | other
    return {
        "acceleration": "kvm",
        "qemu": "9.9.9",
        "cpus": 64,
        "figures": {
            name: {"median": median, "runs": [median], "goal": bench.GOALS[name]}
            | ({"beside": {"median": 2 * median, "runs": [2 * median]}} if name in BESIDE else {})
            for name, median in medians.items()
        },
    }


def test_the_figures_stand_between_the_marks_and_nothing_else_changes():
    text = bench.in_readme(README, measured())
    assert "on 64 cores with QEMU 9.9.9 and KVM:" in text and "| the VM's disk | 376 MB |  | 430 MB |" in text
    assert "| cold boot to a shell's answer (once) | 6.0 s |  | 8.0 s |" in text
    assert "a right answer | 1.2 s | 2.5 s | 6.0 s |" in text
    assert bench.WORDS.keys() == bench.GOALS.keys() and all(f"| {words} | " in text for words in bench.WORDS.values())
    assert bench.BETWEEN_MARKS.sub("", text) == bench.BETWEEN_MARKS.sub("", README)
    assert bench.in_readme(text, measured()) == text


def test_a_goal_that_is_missed_is_said_to_be_also_beside_the_loop_where_it_counts():
    text = bench.in_readme(README, measured(tab_first_s=2.6, tab_loads_mb=20.0))
    assert "its ladder | 2.6 s | 5.2 s | 2.5 s, missed |" in text and "loads | 20 MB |  | 20 MB |" in text
    few = measured()
    few["figures"]["tab_measured"]["beside"]["median"] = 8
    assert "measured | 10 of 10 | 8 of 10 | 9 of 10, missed |" in bench.in_readme(README, few)


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

    def untold() -> float:
        raise bench.Untold

    told = [bench.figures_of("run", lambda: call(status)) for status in (0, Status.COULD_NOT_TELL)]
    assert told == [{"run": 1.235}, {"run": None}]
    assert bench.figures_of("tab", lambda: {"tab_first_s": 1.23456, "tab_measured": 2}) == {
        "tab_first_s": 1.235,
        "tab_measured": 2,
    }
    assert bench.figures_of("check", untold) == {"check": None}
    with pytest.raises(subprocess.CalledProcessError):
        bench.figures_of("run", lambda: call(Status.FAILS))
    assert bench.median("run", [3.0, None, 1.0, 2.0, None]) == 2.0
    assert bench.median("tab_measured", [2, 1, 2, 2, 0]) == 7
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
