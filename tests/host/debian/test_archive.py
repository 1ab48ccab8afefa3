"""Is what a call to the archive fails for told in one line?"""

from pathlib import Path

from host.debian import archive


def test_the_first_error_is_the_cause():
    assert archive.run(["sh", "-c", "echo W: slow >&2; echo E: no such package >&2; echo E: so >&2; exit 100"]) == (
        False,
        "E: no such package",
    )


def test_without_an_error_line_it_is_the_last_words():
    assert archive.run(["sh", "-c", "echo killed >&2; exit 1"]) == (False, "killed\n")


def test_what_went_well_is_done():
    assert archive.run(["true"])[0]


def test_files_come_out_into_a_folder_of_any_name():
    assert "--customize-hook=copy-out /source '/a b/c'" in archive.by_apt("bookworm", "true", "source", Path("/a b/c"))
