"""Does kernel_source find what a page names, the whole of it, and nothing when in doubt?"""

import pytest

from book._ext.quoted.kernel_source import (
    SourceError,
    definitions,
    excerpt,
    find,
    licence_of,
    quoted_files,
    read_version,
)
from tests.site.conftest import SOURCE

QUEUE = "net/wait/queue.c"


def quoted(symbol, **options):
    """The excerpt's first and last line, as text."""
    lines = excerpt(SOURCE, QUEUE, symbol, **options).lines
    return lines[0].strip(), lines[-1].strip()


@pytest.mark.parametrize(
    "symbol, first, last",
    [
        ("queue_length", "int queue_length(struct queue *queue,", "}"),
        ("queue_length()", "int queue_length(struct queue *queue,", "}"),
        ("queue_first", "static inline struct waiter *", "}"),  # its name stands in the second line
        ("queue_wake", "static int __must_check queue_wake(struct queue *queue)", "}"),  # no prototype
        ("for_each_waiter", "#define for_each_waiter(queue, waiter) \\", "(waiter) = (waiter)->next)"),
        ("QUEUE_LIMIT", "#define QUEUE_LIMIT 64", "#define QUEUE_LIMIT 64"),
        ("queue_wait", "SYSCALL_DEFINE2(queue_wait, int, fd, unsigned int, flags)", "}"),
        ("queue", "const struct queue_ops queue = {", "};"),
    ],
)
def test_finds_whole_definitions(symbol, first, last):
    assert quoted(symbol) == (first, last)


def test_lines_are_the_files_own():
    found = excerpt(SOURCE, QUEUE, "queue_length")
    text = (SOURCE / QUEUE).read_text().splitlines()
    assert list(found.lines) == text[found.first - 1 : found.last]
    assert text[found.last - 2].strip() == "return length;"
    assert found.label == "queue_length()"


def test_braces_in_text_and_comments_end_nothing():
    kinds = {d.name: d.kind for d in definitions(SOURCE / QUEUE)}
    assert kinds["queue_length"] == "function" and kinds["for_each_waiter"] == "macro"
    assert find(SOURCE, QUEUE, "queue_length").last < find(SOURCE, QUEUE, "queue_wake").first


def test_two_definitions_are_an_error_that_names_their_lines():
    with pytest.raises(
        SourceError,
        match=r"queue_trace found twice: function in lines 57-60; "
        r"function in lines 62-64.*:with:",
    ):
        excerpt(SOURCE, QUEUE, "queue_trace")
    assert "printk" in excerpt(SOURCE, QUEUE, "queue_trace", having="printk(").lines[2]


def test_header_is_c_and_a_kind_decides():
    with pytest.raises(SourceError, match="queue found twice: struct .*; function .*Next: its kind"):
        find(SOURCE, "include/queue.h", "queue")
    assert find(SOURCE, "include/queue.h", "struct queue").first == 2
    assert find(SOURCE, "include/queue.h", "function queue").kind == "function"
    assert excerpt(SOURCE, "include/queue.h", "queue_key").label == "union queue_key"


@pytest.mark.parametrize(
    "path, symbol, message",
    [
        (QUEUE, "queue_lenght", "queue_lenght not found; the nearest names there: queue_length"),
        (QUEUE, "struct queue_length", "struct queue_length not found"),
        ("net/wait/none.c", "queue", "net/wait/none.c is not in the source tree"),
    ],
)
def test_not_found(path, symbol, message):
    with pytest.raises(SourceError, match=message):
        excerpt(SOURCE, path, symbol)


def test_pieces():
    assert quoted("queue_length", start="for_each_waiter(queue", end="length > QUEUE_LIMIT") == (
        "for_each_waiter(queue, waiter) {",
        "if (length > QUEUE_LIMIT)",
    )
    # Blanks are blanks, and an expression sees the line as it is.
    assert quoted("queue_wake", start="return queue_first")[0] == "return\tqueue_first(queue) ? 1 : 0;"
    assert quoted("queue_length", start=r"re: ^\tfor", end_next=r"re: ^\t\}")[1] == "}"
    assert quoted("queue_length", start="length = -1", end_next="goto out")[1] == "goto out;"


@pytest.mark.parametrize(
    "options, message",
    [
        (
            {"start": "goto out;"},
            r"start in the quoted lines 24-48 of queue_length\(\) in "
            r"net/wait/queue.c: 'goto out;' found twice, in lines 40, 44",
        ),
        ({"end": "length"}, r"'length' found 7 times, in lines 24, 31,"),
        ({"end": "kfree"}, "end in .*'kfree' not found; expected exactly one line"),
        ({"start": "return length", "end": "int length = 0"}, r"\(line 31\) stands before the start"),
        ({"start": "re: ("}, r"is no regular expression"),
        ({"start": "return length", "end_next": "goto"}, "end at or after line 47 .*'goto' not found"),
        ({"start": " "}, "an empty pattern"),
    ],
)
def test_patterns_that_do_not_match_once(options, message):
    with pytest.raises(SourceError, match=message):
        excerpt(SOURCE, QUEUE, "queue_length", **options)


def test_a_callout_matches_one_line_of_the_piece():
    piece = excerpt(SOURCE, QUEUE, "queue_length", start="if (!odd")
    assert piece.line_of("goto out;") == 44  # the other one is outside
    with pytest.raises(SourceError, match=r"callout in the quoted lines 42-48 .*'count' not found"):
        piece.line_of("count")


def test_version_and_licence(tmp_path):
    assert read_version(SOURCE).upstream == "6.1.7"
    assert read_version(SOURCE).package == "linux-source-6.1 6.1.7-2"
    with pytest.raises(SourceError, match="VERSION is missing"):
        read_version(tmp_path)
    (tmp_path / "VERSION").write_text("6.1.7\n")
    with pytest.raises(SourceError, match="expected the lines 'upstream"):
        read_version(tmp_path)
    assert licence_of((SOURCE / "include/queue.h").read_text(), "?") == "GPL-2.0-or-later"
    assert licence_of((SOURCE / QUEUE).read_text(), "?") == "GPL-2.0-only"
    assert licence_of("int x;\n", "GPL-2.0") == "GPL-2.0"
    assert licence_of("/*\n * Permission is hereby granted, free of charge, to any person\n */", "GPL-2.0") == "MIT"


def test_ctags_missing_names_the_package(monkeypatch, tmp_path):
    (tmp_path / "a.c").write_text("int x;\n")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SourceError, match="apt-get install -y universal-ctags"):
        definitions(tmp_path / "a.c")


def test_an_edited_file_is_read_again(tmp_path):
    file = tmp_path / "a.c"
    file.write_text("int one(void)\n{\n}\n")
    assert [d.name for d in definitions(file)] == ["one"]
    file.write_text("int two_or_more(void)\n{\n}\n")
    assert [d.name for d in definitions(file)] == ["two_or_more"]


def test_quoted_files_are_those_of_pages_and_notebooks(tmp_path):
    (tmp_path / "book").mkdir()
    (tmp_path / "notebooks").mkdir()
    (tmp_path / "book/a.md").write_text(
        ":::{annotated-source} net/b.c b\n:tree: linux\n:::\n"
        "- in a list\n\n  ```{annotated-source} net/a.c struct a\n  ```\n"
        ":::{annotated-source} net/8139.c rtl\n:tree: qemu\n:::\n`{annotated-source}` is a name\n"
    )
    (tmp_path / "notebooks/a.md").write_text("::::{annotated-source} net/b.c c\n::::\n:tree: qemu\n")
    (tmp_path / "README.md").write_text(":::{annotated-source} net/no.c c\n:::\n")
    assert quoted_files(tmp_path) == ["net/a.c", "net/b.c"]
    assert quoted_files(tmp_path, tree="qemu") == ["net/8139.c"]
