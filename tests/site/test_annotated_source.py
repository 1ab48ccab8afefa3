"""Does annotated-source show code, notes and the way between them, or stop the build and say where?"""

import os
import re
from html import unescape
from pathlib import Path

import pytest

from book._ext.quoted.kernel_source import read_version
from host.site import quoted
from tests.site.conftest import SOURCE, code, markdown, notebook

GOOD = """# Page

:::{annotated-source} net/wait/queue.c queue_length
:from: for_each_waiter(queue, waiter)
:to-next: re: ^\\t}

1. `length += count(waiter)`: counted, in *MyST*, see {ref}`there`.

   A second paragraph: `x < y`.
2. `re: length\\+\\+`: the other way.
:::

(there)=
## There
"""


def page(body: str) -> dict:
    return {"index.md": f"# Page\n\n{body}\n"}


def test_good_page(book):
    built = book({"index.md": GOOD})
    assert (built.status, built.warnings) == (0, "")
    html = built.page()
    assert html.count('class="wpw-line') == 9
    for link in ("queue-length-1-note-1", "queue-length-1-L36"):
        assert f'href="#{link}"' in html and f'id="{link}"' in html
    assert 'aria-label="Note 1 on line 36"' in html
    assert 'aria-label="Note 1, back to line 36"' in html
    assert "<em>MyST</em>" in html and 'href="#there"' in html and "second paragraph" in html
    assert "--wpw-row:4;--wpw-span:2" in html  # the first note stands at the fourth line
    assert '<code class="wpw-anchor">length += count(waiter)</code>' in html
    assert "<script" not in html.split("<figure")[1].split("</figure>")[0]


def test_caption_says_whose_code_and_where(book):
    caption = re.search(r"<figcaption.*?</figcaption>", book({"index.md": GOOD}).page())[0]
    text = re.sub(r"<[^>]+>", "", caption)
    assert text == (
        "queue_length() in net/wait/queue.c, lines 33–41 Linux 6.1.7 "
        "(linux-source-6.1 6.1.7-2), GPL-2.0-only, the same lines online"
    )
    assert 'href="https://elixir.bootlin.com/linux/v6.1.7/source/net/wait/queue.c#L33"' in caption
    assert "patches may shift lines" in caption
    assert str(SOURCE) not in caption


def test_each_line_has_the_number_that_it_has_in_its_file(book):
    assert numbered(book({"index.md": GOOD}).page()) == {
        number: line.strip()
        for number, line in enumerate((SOURCE / "net/wait/queue.c").read_text().splitlines(), 1)
        if 33 <= number <= 41
    }


def numbered(figure: str) -> dict[int, str]:
    """The lines that are shown, by the numbers before them."""
    row = r'<span class="wpw-number">(\d+)</span>.*?<span class="wpw-text">(.*?)\n</span>'
    return {
        int(number): unescape(re.sub(r"<[^>]+>", "", line)).strip()
        for number, line in re.findall(row, figure, re.DOTALL)
    }


def test_in_the_book_too(built_site):
    roots = {read_version(root).package: root for root in map(Path, quoted.trees().values())}
    figures = [
        (path.name, figure)
        for path in built_site.rglob("*.html")
        for figure in re.findall(r'<figure class="wpw-source.*?</figure>', path.read_text(), re.DOTALL)
    ]
    assert len(figures) > 20
    for name, figure in figures:
        file, first, last = re.search(r"</code> in <code>(.*?)</code>, lines? (\d+)(?:–(\d+))?<", figure).groups()
        package = re.search(r'wpw-origin">[^(]*\((.*?)\)', figure)[1]
        own, shown = (roots[package] / file).read_text().splitlines(), numbered(figure)
        assert list(shown) == list(range(int(first), int(last or first) + 1)), (name, file)
        assert {number: own[number - 1].strip() for number in shown} == shown, (name, file)


@pytest.mark.parametrize(
    "directive, line, message",
    [
        ("net/wait/queue.c queue_none\n:::", 3, "net/wait/queue.c: queue_none not found"),
        ("net/wait/none.c queue\n:::", 3, "net/wait/none.c is not in the source tree"),
        ("net/wait/queue.c queue_trace\n:::", 3, "queue_trace found twice: function in lines 57-60"),
        ("net/wait/queue.c queue_length\n:from: nowhere\n:::", 3, "'nowhere' not found"),
        ("net/wait/queue.c queue_length\n:to: a\n:to-next: b\n:::", 3, "both :to: and :to-next:"),
        ("net/wait/queue.c queue_length\n:tree: minix\n:::", 3, "no source tree 'minix'; those"),
        (
            "net/wait/queue.c queue_length\n\n1. `kfree`: no\n:::",
            5,
            "callout 1 in the quoted lines 24-48 of queue_length() in net/wait/queue.c: 'kfree' not found",
        ),
        (
            "net/wait/queue.c queue_length\n\n1. `int length`: yes\n2. `goto out;`: two\n:::",
            6,
            "'goto out;' found twice, in lines 40, 44",
        ),
        (
            "net/wait/queue.c queue_length\n\n1. `int length`: yes\n\n3. `odd =`: no\n:::",
            7,
            "callout 3: expected number 2",
        ),
        ("net/wait/queue.c queue_length\n\n- `int length`: yes\n:::", 5, "expected '1. `pattern`: note'"),
    ],
)
def test_faults_stop_the_build_and_say_where(book, directive, line, message):
    built = book(page(f":::{{annotated-source}} {directive}"))
    assert built.status == 1
    assert f"index.md:{line}: ERROR: " in built.warnings and message in built.warnings
    # The page was stored with its fault; an unchanged book must not pass the next time.
    assert book({}).status == 1


def test_a_fault_in_a_notebook_names_the_cell(book):
    quote = ":::{annotated-source} net/wait/queue.c queue_length\n\n1. `kfree`: no\n:::"
    built = book({"index.ipynb": notebook(code("1"), markdown(f"Text.\n\n{quote}"))})
    assert built.status == 1
    assert "index.ipynb: ERROR: cell 3, line 5: callout 1" in built.warnings


def test_good_notebook(book):
    built = book({"index.ipynb": notebook(markdown(GOOD.replace("# Page", "## Part")))})
    assert (built.status, built.warnings) == (0, "")
    assert 'href="#queue-length-1-note-2"' in built.page()


@pytest.mark.parametrize("root, found", [("", "which is not set"), ("/nowhere", "not there")])
def test_no_source_names_the_next_command(book, root, found):
    built = book(page(":::{annotated-source} net/wait/queue.c queue_length\n:::"), kernel_source_root=root)
    assert built.status == 1 and "Next: ./lab book" in built.warnings and found in built.warnings
    assert "LAB_KERNEL_SOURCE" in built.warnings


def test_a_second_tree_is_configuration(book, monkeypatch):
    monkeypatch.setenv("LAB_QEMU_SOURCE", str(SOURCE))
    qemu = {
        "title": "QEMU",
        "environment": "LAB_QEMU_SOURCE",
        "licence": "GPL-2.0-or-later",
        "link": "https://elixir.example/qemu/v{upstream}/source/{path}#L{line}",
    }
    built = book(
        page(":::{annotated-source} net/wait/queue.c queue_wake\n:tree: qemu\n:::"),
        source_trees={"qemu": qemu},
        kernel_source_root="",
    )
    assert built.status == 0
    assert 'href="https://elixir.example/qemu/v6.1.7/source/net/wait/queue.c#L' in built.page()


def test_a_changed_source_file_rebuilds_the_page(book, tmp_path):
    (tmp_path / "tree/net").mkdir(parents=True)
    (tmp_path / "tree/VERSION").write_text((SOURCE / "VERSION").read_text())
    file = tmp_path / "tree/net/a.c"
    file.write_text("int a(void)\n{\n\treturn 1;\n}\n")
    root = {"kernel_source_root": str(tmp_path / "tree")}
    assert ">1<" in book(page(":::{annotated-source} net/a.c a\n:::"), **root).page()
    file.write_text("int a(void)\n{\n\treturn 2;\n}\n")
    os.utime(file, ns=(file.stat().st_atime_ns, file.stat().st_mtime_ns + 10**9))
    assert ">2<" in book({}, **root).page()


def test_a_piece_loses_the_indentation_it_shares(book):
    built = book(
        page(":::{annotated-source} net/wait/queue.c queue_length\n:from: if (flags & QUEUE_COUNT)\n:to: length++\n:::")
    )
    lines = re.findall(r'<span class="wpw-text">(.*?)\n</span>', built.page(), re.DOTALL)
    text = [re.sub(r"<[^>]+>", "", line) for line in lines]
    assert text == ["if (flags &amp; QUEUE_COUNT)", "\tlength += count(waiter);", "else", "\tlength++;"]


def test_other_builders_get_a_listing_and_a_list(book):
    built = book({"index.md": GOOD}, builder="text")
    assert built.status == 0
    assert "length += count(waiter);  /* (1) */" in built.page()
    assert re.search(r"^1\. counted, in \*MyST\*", built.page(), re.MULTILINE)
    assert book({}, builder="latex").status == 0
