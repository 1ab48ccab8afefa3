"""Is a program's object found as long as all that it is made of is the same, and made anew else?"""

import re

import pytest

from labs.errors import CannotTry
from labs.trace import objects


@pytest.fixture
def program(tmp_path, monkeypatch):
    """A program whose compiler writes down that it was called, and how."""
    monkeypatch.setattr(objects, "KEPT", tmp_path / "kept")
    monkeypatch.setattr(objects, "BROUGHT", tmp_path / "brought")
    for name in ("HEADER", "WORDS"):
        copy = tmp_path / getattr(objects, name).name
        copy.write_bytes(getattr(objects, name).read_bytes())
        monkeypatch.setattr(objects, name, copy)
    compiler = tmp_path / "compiler"
    compiler.write_text(f'#!/bin/sh\necho "$@" >>{tmp_path}/calls\nfor to; do :; done\ncat >"$to"\n')
    compiler.chmod(0o755)
    monkeypatch.setattr(objects, "COMPILER", str(compiler))
    file = tmp_path / "stall.bpf.c"
    file.write_text('// one\n#include "event.h"\nint x(void *ctx) { return odd.lookup(&x) || odd.update(&x, &x); }\n')
    return file


def calls(program):
    return len((program.parent / "calls").read_text().splitlines())


def test_it_is_made_once(program):
    assert objects.compiled(program) == objects.compiled(program)
    assert calls(program) == 1


@pytest.mark.parametrize("changed", ["stall.bpf.c", "event.h", "object.h"])
def test_it_is_made_anew_when_its_source_has_changed(program, changed):
    first = objects.compiled(program)
    with open(program.parent / changed, "a") as file:
        file.write("// changed\n")
    assert objects.compiled(program) != first
    assert calls(program) == 2 and first.exists()


def test_bccs_calls_on_maps_become_calls_of_libbpfs(program):
    source = objects.compiled(program).read_text()
    assert "map_lookup(odd, &x) || map_update(odd, &x, &x)" in source
    assert "map_perf_submit(events, ctx, event" in source and ".lookup(" not in source


def test_the_compiler_counts_a_programs_lines_as_a_reader_does(program):
    before, after = objects.text(program).split('#line 1 "event.h"\n')
    assert before == "// one\n"
    assert after.endswith(f'#line 3 "stall.bpf.c"\n{program.read_text().splitlines()[2]}\n')


@pytest.mark.parametrize("include", ['#include "event.h"  // GET()', '  # include\t"event.h"', '#include "event.h"\r'])
def test_its_include_may_be_written_as_c_allows(program, include):
    as_it_was = objects.text(program)
    program.write_text(program.read_text().replace('#include "event.h"', include))
    assert objects.text(program) == as_it_was


def test_one_that_is_a_comment_is_none(program):
    program.write_text(f'// #include "event.h"\n{program.read_text()}')
    assert objects.text(program).startswith('// #include "event.h"\n// one\n#line 1 "event.h"\n')


def test_without_a_compiler_what_has_an_object_is_tried_and_nothing_else(program, monkeypatch):
    objects.compiled(program)
    monkeypatch.setattr(objects, "COMPILER", "no-such-compiler")
    objects.compiled(program)
    program.write_text("")
    with pytest.raises(CannotTry, match="no object of stall.bpf.c as it is now"):
        objects.compiled(program)


def test_a_kernel_of_another_word_has_objects_of_its_own(program):
    ours, others = objects.compiled(program, 64), objects.compiled(program, 32)
    assert ours != others and calls(program) == 2
    assert [re.findall(r"WORD_BITS=(\d+)", call) for call in (program.parent / "calls").open()] == [["64"], ["32"]]


def test_one_that_came_with_the_disk_is_taken_where_there_is_no_compiler(program, monkeypatch):
    brought = objects.compiled(program, 32, objects.BROUGHT)
    monkeypatch.setattr(objects, "COMPILER", "no-such-compiler")
    assert objects.compiled(program, 32) == brought and brought.parent == objects.BROUGHT
    program.write_text("")
    with pytest.raises(CannotTry, match="no object of stall.bpf.c as it is now"):
        objects.compiled(program, 32)


def test_what_the_compiler_says_is_told_and_nothing_is_left(program, monkeypatch):
    monkeypatch.setattr(objects, "COMPILER", "false")
    with pytest.raises(CannotTry, match="stall.bpf.c does not compile"):
        objects.compiled(program)
    assert not list(objects.KEPT.iterdir())


def test_all_are_made_but_what_a_reader_writes(program, monkeypatch):
    found = []
    monkeypatch.setattr(objects, "compiled", lambda file, bits, folder: found.append(file.name))
    objects.main()
    assert {"stall.bpf.c", "segments.bpf.c", "pushes.bpf.c", "choice.bpf.c", "ways.bpf.c"} <= set(found)
    assert "start.bpf.c" not in found
