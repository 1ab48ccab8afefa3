"""Do pages and glossary lead to each other, and does the index know the same places?"""

import json
import re
import shutil

import pytest
from bs4 import BeautifulSoup

from tests.site.conftest import PROVENANCE

GLOSSARY = """# Words

```{glossary}
:sorted:

path MTU
PMTU
  The least MTU of a way.

MTU
  A size. A larger MTU than the path MTU does not help.

`queue_length()`
  `net/wait/queue.c`. Counts.

`IpFragFails`
  A counter.
```
"""
PAGE = """# The MTU of it

An [MTU in a link](https://example.org) and `MTU x`, in code:

```
MTU PMTU IpFragFails
```

A route's MTUs are
many. Path
MTU and PMTU: the MTU again. **`queue_length`** and `queue_length()`, `IpFragFails`.
"""
PAGES = {"index.md": f"{PAGE}\n```{{toctree}}\nwords\n```\n", "words.md": GLOSSARY}
TERMS = {
    "extensions": [
        "myst_nb",
        "book._ext.quoted.annotated_source",
        "book._ext.recordings.recorded",
        "book._ext.links.terms",
        "book._ext.links.figure_links",
    ]
}
QUOTE = ":::{annotated-source} net/wait/queue.c queue_length\n\n1. `length++;`: a note on `IpFragFails`\n:::\n"


def links(html: str) -> list[tuple[str, str, str | None]]:
    """A page's links to the glossary: the words, where to, and what their own place is called."""
    return [
        (" ".join(each.text.split()), each["href"], each.get("id"))
        for each in BeautifulSoup(html, "html.parser").select("a.wpw-term")
    ]


def used_in(html: str, key: str) -> list[tuple[str, str]]:
    """The pages under an entry."""
    entry = BeautifulSoup(html, "html.parser").find(id=f"term-{key}").find_next("dd")
    return [(each.text, each["href"]) for each in entry.select(".wpw-mentions a")]


def articles(built) -> list[str]:
    """The pages without their heads: Sphinx marks a style sheet that lies there from last time."""
    return [built.page(name).partition("<body")[2] for name in ("index", "words", "more", "genindex")]


@pytest.fixture
def terms(book):
    """Builds with the extension."""
    return lambda pages, **settings: book(pages, **TERMS | settings)


def test_the_first_use_leads_to_the_entry_and_no_other(terms):
    built = terms(PAGES)
    assert (built.status, built.warnings) == (0, "")
    assert links(built.page()) == [
        ("MTUs", "words.html#term-MTU", "use-of-MTU"),
        ("Path MTU", "words.html#term-path-MTU", "use-of-path-MTU"),
        ("queue_length", "words.html#term-queue_length", "use-of-queue_length"),
        ("IpFragFails", "words.html#term-IpFragFails", "use-of-IpFragFails"),
    ]


def test_an_entry_leads_to_the_first_uses_and_not_to_itself(terms):
    words = terms(PAGES).page("words")
    assert links(words) == [("path MTU", "#term-path-MTU", "use-of-path-MTU"), ("MTU", "#term-MTU", "use-of-MTU")]
    assert used_in(words, "MTU") == [("The MTU of it", "index.html#use-of-MTU")]
    assert used_in(words, "queue_length") == [("The MTU of it", "index.html#use-of-queue_length")]


def test_pages_stand_under_an_entry_in_the_books_order(terms):
    pages = {
        "index.md": "# One\n\n```{toctree}\nz\na\nwords\n```\n",
        "z.md": PAGE,
        "a.md": PAGE.replace("# The", "# An"),
        "words.md": GLOSSARY,
    }
    titles = [title for title, _ in used_in(terms(pages).page("words"), "MTU")]
    assert titles == ["The MTU of it", "An MTU of it"]


@pytest.mark.parametrize(
    "page",
    [
        "# A queue of MTU\n\n## `IpFragFails`\n",
        "# X\n\n`IpFragFails or more`, IpFragFails2\n",
        "# X\n\n```{code-block} c\n:caption: IpFragFails\nIpFragFails;\n```\n",
        "# X\n\n[`IpFragFails`](https://example.org)\n",
        "# X\n\nIpFragFails without its marks\n",
    ],
)
def test_what_is_no_use(terms, page):
    built = terms({**PAGES, "index.md": f"{page}\n```{{toctree}}\nwords\n```\n"})
    assert built.status == 1
    assert "words.md" in built.warnings and "no page uses the term 'IpFragFails'" in built.warnings
    assert not [each for each in links(built.page()) if "IpFragFails" in each[0]]


def test_a_fault_is_found_again_until_it_is_fixed(terms):
    broken = {**PAGES, "words.md": GLOSSARY.replace("MTU\n  A size.", "jitter\n  A time.")}
    assert terms(broken).status == terms(broken).status == 1
    assert terms(PAGES).status == 0


def test_one_page_changed_changes_the_others(terms):
    terms(PAGES)
    fewer = PAGES["index.md"].replace("A route's MTUs are\nmany.", "Many.").replace("the MTU again", "")
    built = terms({"index.md": fewer, "more.md": "---\norphan: true\n---\n# More\n\nAn MTU.\n"})
    assert (built.status, built.warnings) == (0, "")
    assert [text for text, *_ in links(built.page())] == ["Path MTU", "queue_length", "IpFragFails"]
    assert used_in(built.page("words"), "MTU") == [("More", "more.html#use-of-MTU")]
    index = BeautifulSoup(built.page("genindex"), "html.parser")
    assert index.find("a", href="more.html#use-of-MTU").text == "More"
    assert not index.find("a", href="index.html#use-of-MTU")
    before = articles(built)
    for name in ("doctrees", "html"):
        shutil.rmtree(built.out.parent / name)
    assert articles(terms({})) == before


def test_an_entry_renamed_is_led_to_from_pages_that_did_not_change(terms):
    terms(PAGES)
    moved = {"words.md": GLOSSARY.replace("path MTU\nPMTU\n", "PMTU\npath MTU\n")}
    assert ("Path MTU", "words.html#term-PMTU", "use-of-PMTU") in links(terms(moved).page())


def test_quoted_source_is_a_use_and_stands_in_the_index(terms):
    pages = {**PAGES, "index.md": f"# Wait\n\nMTU, PMTU.\n\n{QUOTE}\n```{{toctree}}\nwords\n```\n"}
    built = terms(pages)
    assert (built.status, built.warnings) == (0, "")
    page = BeautifulSoup(built.page(), "html.parser")
    figure = page.select_one("figure.wpw-source")
    assert not figure.select("figcaption a.wpw-term") and not figure.select("pre a.wpw-term")
    assert [each.text for each in figure.select(".wpw-note a.wpw-term")] == ["IpFragFails"]
    assert used_in(built.page("words"), "queue_length") == [("Wait", f"index.html#{figure['id']}")]
    index = BeautifulSoup(built.page("genindex"), "html.parser")
    entry = index.find("a", string=re.compile("^Wait: source, lines"))
    assert entry["href"] == f"index.html#{figure['id']}"


def test_a_frame_leads_to_the_entry_unless_its_code_is_in_the_book(terms, tmp_path):
    rows = [
        {"state": "also there", "told": None, "observed": name, "reason": None, "note": None, "source": None}
        for name in ("queue_length+0x1", "other", "other")
    ]
    stack = {"kind": "stack", "title": "", "ok": True, "summary": "", "rows": rows}
    recording = tmp_path / "src/_recordings/wait"
    recording.mkdir(parents=True)
    (recording / "stack.figure.json").write_text(json.dumps(stack))
    recording.with_suffix(".json").write_text(json.dumps({"provenance": PROVENANCE}))
    figure = ":::{recorded-figure} wait stack\nMTU\n:::\n"
    pages = {
        "index.md": f"# Wait\n\nPMTU `IpFragFails`\n\n{figure}\n{QUOTE}\n```{{toctree}}\nwords\n```\n",
        "words.md": GLOSSARY.replace("`IpFragFails`\n", "`other()`\n  A frame.\n\n`IpFragFails`\n"),
    }
    built = terms(pages)
    assert (built.status, built.warnings) == (0, "")
    assert [each for each in links(built.page()) if each[0] in ("other", "queue_length+0x1")] == [
        ("other", "words.html#term-other", "use-of-other"),
        ("other", "words.html#term-other", None),
    ]
    assert used_in(built.page("words"), "other") == [("Wait", "index.html#use-of-other")]
    page = BeautifulSoup(built.page(), "html.parser")
    code = page.find("code", string="queue_length+0x1").parent
    assert code["href"] == f"#{page.select_one('.wpw-source')['id']}"


def test_a_page_can_stand_aside(terms):
    aside = {**PAGES, "list.md": f"---\norphan: true\nterms: none\n---\n{PAGE}"}
    built = terms(aside)
    assert (built.status, built.warnings, links(built.page("list"))) == (0, "", [])
    assert [title for title, _ in used_in(built.page("words"), "MTU")] == ["The MTU of it"]


def test_a_book_without_a_glossary_is_built_as_before(terms):
    built = terms({"index.md": PAGE})
    assert (built.status, built.warnings, links(built.page())) == (0, "", [])
