"""Does the reader's progress hold what a judge said of an exercise that there is, whatever else is written there?

Root in the reader's guest writes the file from which verdicts of notebooks are taken.
"""

import json

import pytest

from host.exercises import commands, progress

PASS = {"exercise": "frag-needed/1", "verdict": "PASS"}
NONE_OF_OURS = [
    "{",
    "\x00\x1b[2J",
    "[" * 100_000,
    "null",
    "[]",
    '{"exercise": "frag-needed/1"}',
    '{"exercise": "frag-needed/1", "verdict": "WON"}',
    '{"exercise": "frag-needed/1", "verdict": ["PASS"]}',
    '{"exercise": ["frag-needed/1"], "verdict": "PASS"}',
    '{"exercise": "frag-needed/1", "hint": "all"}',
    '{"exercise": "frag-needed/1", "hint": true}',
]


@pytest.fixture(autouse=True)
def own_file(tmp_path, monkeypatch):
    monkeypatch.setattr(progress.paths, "data", lambda: tmp_path)
    progress._say_once.cache_clear()


@pytest.fixture
def fetched(guest, tmp_path):
    """fetched(printed) fetches from a guest in which this was left."""

    def fetch(printed: bytes) -> None:
        (tmp_path / "left").write_bytes(printed)
        progress.fetch(guest(f"os.write(1, open({str(tmp_path / 'left')!r}, 'rb').read())").connection)

    return fetch


@pytest.mark.parametrize("line", NONE_OF_OURS, ids=range(len(NONE_OF_OURS)))
def test_a_damaged_line_is_said_once_and_passed_over(capsys, line):
    progress.file().write_text(f"{json.dumps(PASS)}\n{line}\n{json.dumps(PASS)}\n")
    for _ in range(3):
        assert progress.events("frag-needed/1") == [PASS, PASS]
        assert commands._state("frag-needed/1") == "passed"
    assert capsys.readouterr().err.count("line 2 is damaged; 1 passed over") == 1


@pytest.mark.parametrize(
    "line", [*NONE_OF_OURS, '{"exercise": "frag-needed/1000", "verdict": "PASS"}'], ids=range(len(NONE_OF_OURS) + 1)
)
def test_what_a_guest_leaves_beside_verdicts_is_not_taken(fetched, line):
    fetched(f"{line}\n{json.dumps(PASS | {'judged': '2026-01-31 12:00:00', 'more': line})}\n".encode() + b"\xff\n")
    [taken] = [json.loads(line) for line in progress.file().read_text().splitlines()]
    assert taken.pop("date") and taken == PASS | {"notebook": True, "judged": "2026-01-31 12:00:00"}


def test_of_a_line_that_says_more_what_is_none_is_left_out(fetched):
    told = (
        '{"exercise": "frag-needed/1", "hint": 1, "verdict": {"x": 1}}',
        '{"exercise": "frag-needed/1", "solution": true, "hint": true}',
    )
    fetched("\n".join(told).encode())
    assert [each.get("hint") for each in progress.events("frag-needed/1")] == [1]
    assert "verdict" not in progress.file().read_text()


def test_a_guest_that_left_too_much_fills_no_disk(guest):
    progress.fetch(guest("while True: os.write(1, b'x' * 65536)").connection)
    assert not progress.file().exists()


def test_a_guest_that_says_nothing_is_not_waited_for(guest, monkeypatch):
    monkeypatch.setattr(progress, "PATIENCE_S", 0.5)
    progress.fetch(guest("import time; time.sleep(10**6)").connection)  # longer than a test may take (pyproject.toml)
    assert not progress.file().exists()


def test_hints_of_a_notebook_are_taken_and_the_next_one_follows(fetched):
    hints = len(commands.cases.exercise("frag-needed/1").hints)
    told = [{"exercise": "frag-needed/1", "hint": number} for number in (1, 2, 0, -1, hints + 1, 10**9)]
    fetched("".join(f"{json.dumps(line)}\n" for line in told).encode())
    assert [event["hint"] for event in progress.events("frag-needed/1")] == [1, 2]
    assert commands.hint("frag-needed/1")[1] == 3
