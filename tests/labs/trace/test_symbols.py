"""Which function is an address in?"""

import pytest

from labs.trace.symbols import Names

TABLE = """\
ffffffff81000000 T _text
ffffffff81001000 t first
ffffffff81001040 T second\t
ffffffff81001040 T second_too
ffffffffc0002000 t of_b\t[b]
ffffffffc0001000 t of_a\t[a]
"""


@pytest.mark.parametrize(
    "address, name",
    [
        (0xFFFFFFFF81001000, "first+0x0"),
        (0xFFFFFFFF8100103F, "first+0x3f"),
        (0xFFFFFFFF81001041, "second_too+0x1"),
        (0xFFFFFFFFC0001FFF, "of_a+0xfff"),
        (0xFFFFFFFFC0002010, "of_b+0x10"),
    ],
)
def test_it_is_the_last_one_that_begins_before(tmp_path, address, name):
    table = tmp_path / "kallsyms"
    table.write_text(TABLE)
    assert Names(table).of(address) == name


def test_on_32_bits_too(tmp_path):
    table = tmp_path / "kallsyms"
    table.write_text("c1000000 T _text\nc1001000 t first\nc1001040 T second\n")
    assert Names(table).of(0xC100103F) == "first+0x3f"
