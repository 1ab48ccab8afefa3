"""Does the type information for the tab's kernel hold what the programs ask for, as a kernel of 32 bits has it?"""

import re

import pytest

from host.errors import LabError
from host.paths import LABS
from host.tab import btf
from labs.cases.addr_select.rules import RFC
from labs.cases.addr_select.scores import FIRST_RULE
from labs.trace import btf as reader

# What the compiler is given before all else.
HEADERS = {"compiler-version.h": "", "kconfig.h": "", "compiler_types.h": "typedef unsigned long word;\n"}
C = "struct held { char first; void *second; word third; word low : 1, high : 31; };\n"


@pytest.fixture
def encoded(tmp_path, monkeypatch):
    """Has this C text encoded, and read as the guest reads it."""
    folder = tmp_path / "linux-headers/include/linux"
    folder.mkdir(parents=True)
    for name, text in HEADERS.items():
        (folder / name).write_text(text)

    def encode(text):
        btf.encode(text, [tmp_path / "linux-headers"], tmp_path / "6.1.btf")
        monkeypatch.setattr(reader, "PLACES", [tmp_path / "none", tmp_path / "6.1.btf"])
        for kept in (reader.offset, reader.enumerators, reader.has_function, reader._sections):
            kept.cache_clear()
        return reader

    yield encode
    for kept in (reader.offset, reader.enumerators, reader.has_function, reader._sections):
        kept.cache_clear()


def macro():
    """fields.c behind its last include: what it copies, and what a line FIELD() becomes."""
    return "#define " + btf.DECLARED.read_text().partition("#define ")[2]


def test_a_words_and_an_addresss_width_are_those_of_32_bits(encoded):
    fields = "".join(f"FIELD(held, {name});\n" for name in ("second", "third", "high"))
    found = encoded(C + macro() + fields)
    assert [found.offset("held", name) for name in ("first", "second", "third", "high")] == [0, 4, 8, 12]
    assert not found.has_function("held") and not found.has_function("in_held__second")


def test_a_field_that_the_kernel_lacks_fails_the_build(encoded):
    with pytest.raises(LabError, match="no member named .gone"):
        encoded(C + macro() + "FIELD(held, gone);\n")
    with pytest.raises(LabError, match="no_such"):
        encoded(C + macro() + "FIELD(no_such, gone);\n")


def test_every_field_of_every_program_is_asked_for():
    programs = [LABS / "trace/event.h", *LABS.glob("cases/*/*.bpf.c")]
    declared = {line for file in programs for line in file.read_text().splitlines() if line.startswith("FIELD(")}
    assert len(declared) > 20 and declared <= set(btf.fields())


def test_the_rules_that_are_copied_are_those_of_the_book():
    enum = re.search(r"enum \{(.*?)\}", btf.DECLARED.read_text(), re.DOTALL)[1]
    names = re.findall(r"IPV6_SADDR_RULE_(\w+)", enum)
    assert names == [*RFC, "MAX"] and FIRST_RULE.endswith(names[0])
