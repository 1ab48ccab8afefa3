"""Is a file written whole or not at all?"""

from pathlib import Path

import pytest

from core.files import write_whole


def test_what_cannot_be_written_leaves_what_was_there(tmp_path, monkeypatch):
    file = tmp_path / "file"
    write_whole(file, "before")

    def half(aside: Path, text: str, _encoding: str) -> None:
        aside.write_bytes(text[:3].encode())
        raise OSError("the disk is full")

    monkeypatch.setattr(Path, "write_text", half)
    with pytest.raises(OSError, match="full"):
        write_whole(file, "after it")
    assert [path.name for path in tmp_path.iterdir()] == ["file"] and file.read_text() == "before"
