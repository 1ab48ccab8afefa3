"""Which function is an address in, and where is its code?"""

import pytest

from labs.trace import symbols
from labs.trace.symbols import Symbols

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
    assert Symbols(table).at(address) == name


def test_on_32_bits_too(tmp_path):
    table = tmp_path / "kallsyms"
    table.write_text("c1000000 T _text\nc1001000 t first\nc1001040 T second\n")
    assert Symbols(table).at(0xC100103F) == "first+0x3f"


def test_a_functions_code_ends_where_the_next_symbol_begins_and_its_clones_are_its_own(tmp_path):
    table = tmp_path / "kallsyms"
    table.write_text(
        "c1001000 t one\nc1001000 t also_one\n"
        "c1001040 t one.part.0\nc1001080 t one.cold\nc1001090 t one_more\nc10010a0 D x\n"
    )
    assert Symbols(table).code_of("one") == [(0xC1001000, 0xC1001040), (0xC1001040, 0xC1001080)]
    assert Symbols(table).starting_at(0xC1001000) == ["also_one", "one"]
    assert Symbols(table).starting_at(0xC1001001) == Symbols(table).starting_at(0xC10010A0) == []


def test_the_table_is_read_once_and_again_when_modules_have_changed(tmp_path, monkeypatch):
    monkeypatch.setattr(symbols, "MODULES", tmp_path / "modules")
    (tmp_path / "modules").write_text("veth 36864 0 - Live 0xc0001000\n")
    kept = symbols.running()
    assert symbols.running() is kept
    (tmp_path / "modules").write_text("veth 36864 0 - Live 0xc0002000\n")
    assert symbols.running() is not kept


def test_an_address_is_told_once_they_are_written_down_and_if_it_is_the_only_one(tmp_path):
    table = tmp_path / "kallsyms"
    table.write_text("c1001000 t one\nc1001040 t one.part.0\nc1001080 t two\nc10010a0 t two\n")
    known = Symbols(table)
    assert known.address("one") is None
    known.read()
    assert (known.address("one"), known.address("one.part.0")) == (0xC1001000, 0xC1001040)
    assert known.address("two") is None and known.address("three") is None
