"""Are the licences of what the tab's kernel is made of those that its packages name, with their texts?"""

import io
import tarfile

import pytest

from host.errors import LabError
from host.tab import licences, packages

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
def unpacked(tmp_path):
    """Two packages, one with a copyright file for programs, whose folder is another's, and the licences' texts."""
    for name, text in (
        ("usr/share/doc/base/copyright", FOR_PROGRAMS),
        ("usr/share/doc/old/copyright", "Take it. GPL-3"),
        ("usr/share/common-licenses/GPL-2", "the text"),
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    (tmp_path / "usr/share/doc/lib").symlink_to("base")
    return tmp_path


def test_a_file_for_programs_is_read_in_its_order(unpacked):
    assert licences.short_names(FOR_PROGRAMS) == ["LGPL-2.1", "GPL-2+ or X"]
    assert licences.named(unpacked, ["lib", "old"], {"old": "GPL-2+"}) == {
        "lib": ["LGPL-2.1", "GPL-2+ or X"],
        "old": ["GPL-2+"],
    }


def test_one_in_free_words_has_to_be_read_by_a_person(unpacked):
    with pytest.raises(LabError, match="of old is in free words") as error:
        licences.named(unpacked, ["lib", "old"], {})
    assert "/usr/share/doc/old/copyright" in error.value.next


def test_one_that_lacks_is_no_licence(unpacked):
    with pytest.raises(LabError, match="expected /usr/share/doc/none/copyright"):
        licences.named(unpacked, ["none"], {"none": "MIT"})


def test_all_of_them_go_along_with_the_texts_the_same_bytes_each_time(unpacked):
    packed = licences.packed(unpacked, ["lib", "old"])
    with tarfile.open(fileobj=io.BytesIO(packed)) as tar:
        assert tar.getnames() == ["common-licenses/GPL-2", "lib/copyright", "old/copyright"]
        assert tar.extractfile("lib/copyright").read().decode() == FOR_PROGRAMS
    assert packed == licences.packed(unpacked, ["old", "lib"]) and packed[4:8] == bytes(4)  # no time of its making


def test_the_recipe_tells_of_packages_that_it_names():
    recipe = packages.recipe()
    assert set(recipe["licences"]) <= set(recipe["packages"]) and not set(recipe["texts"]) & set(recipe["packages"])
