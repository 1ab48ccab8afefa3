"""Are the licences of what the tab's kernel is made of those that its packages name, with their texts?"""

import io
import tarfile

import pytest

from host.errors import LabError
from host.tab import licences

FOR_PROGRAMS = """Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: a

Files: *
Copyright: a
License: LGPL-2.1

Files: b.c
 c.c
Copyright: b
License: GPL-2+ or X
 The text of it.

Files: debian/*
License: LGPL-2.1

License: LGPL-2.1
 A text. License: none

License: of-no-file
 A text.
"""


@pytest.fixture
def texts(tmp_path):
    """Those of two packages, one with a copyright file for programs, and the licences'."""
    for name, text in (
        ("lib/copyright", FOR_PROGRAMS),
        ("old/copyright", "Take it. GPL-3"),
        ("common-licenses/GPL-2", "the text"),
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    (tmp_path / "common-licenses/GPL").symlink_to("GPL-2")
    return tmp_path


def test_a_file_for_programs_is_read_in_its_order(texts):
    assert licences.short_names(FOR_PROGRAMS) == ["LGPL-2.1", "GPL-2+ or X"]
    assert licences.named(texts, ["lib", "old"], {"old": "GPL-2+"}) == {
        "lib": ["LGPL-2.1", "GPL-2+ or X"],
        "old": ["GPL-2+"],
    }


def test_one_in_free_words_has_to_be_read_by_a_person(texts):
    with pytest.raises(LabError, match="of old is in free words") as error:
        licences.named(texts, ["lib", "old"], {})
    assert "/usr/share/doc/old/copyright" in error.value.next


def test_one_that_lacks_is_no_licence(texts):
    with pytest.raises(LabError, match="expected /usr/share/doc/none/copyright"):
        licences.named(texts, ["none"], {"none": "MIT"})


def test_all_of_them_go_along_with_the_texts_the_same_bytes_each_time(texts):
    packed = licences.packed(texts)
    with tarfile.open(fileobj=io.BytesIO(packed)) as tar:
        names = ["common-licenses/GPL", "common-licenses/GPL-2", "lib/copyright", "old/copyright"]
        assert tar.getnames() == names and tar.extractfile("common-licenses/GPL").read() == b"the text"
        assert tar.extractfile("lib/copyright").read().decode() == FOR_PROGRAMS
    assert packed == licences.packed(texts) and packed[4:8] == bytes(4)  # no time of its making
