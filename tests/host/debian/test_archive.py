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


def test_an_archive_that_is_named_stands_in_for_debians(archive_of, tmp_path):
    """It has one package, which Debian has not."""
    archive_of(("where-packets-wait-test", "1.0", {}))
    script = f"{archive.APT_GET} download where-packets-wait-test && {archive.APT} apt-config dump >config"
    done, cause = archive.run(archive.by_apt("bookworm", script, "debs", tmp_path))
    assert done, cause
    assert [file.name for file in tmp_path.glob("debs/*.deb")] == ["where-packets-wait-test_1.0_all.deb"]
    assert 'Acquire::Check-Valid-Until "false";' in (tmp_path / "debs/config").read_text()  # as of a past day
