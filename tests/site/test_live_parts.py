"""Does the page name what the tab's kernel is made of, each with its licences and its source?"""

import json
import re
import shutil
from html import unescape

import pytest

from book._ext.live.live_run import CELLS, DISKS, EMULATOR, LICENCES, STATE, TERMINAL, WASM

PACKAGES = {
    "linux-image": {
        "version": "6.1.176-1",
        "source": "linux-signed-i386",
        "source_version": "6.1.176+1",
        "built_using": {"linux": "6.1.176-1"},
        "licences": ["GPL-2", "Zlib"],
    },
    "ipvsadm": {
        "version": "1:1.31-1",
        "source": "ipvsadm",
        "source_version": "1:1.31-1",
        "built_using": {},
        "licences": ["GPL-2+ with an exception"],
    },
}
NPM = {"v86": {"version": "0.5", "licences": ["BSD-2-Clause"]}, "@xterm/xterm": {"version": "5", "licences": ["MIT"]}}
EXTENSIONS = [
    "myst_nb",
    "book._ext.quoted.annotated_source",
    "book._ext.recordings.recorded",
    "book._ext.links.terms",
    "book._ext.live.live_run",
    "book._ext.live.live_parts",
]
PAGE = {
    "part/page.md": "# Title\n\n## In the tab\n\n:::{live-parts} Made of\nWords *above*.\n:::\n\n## After it\n",
    "index.md": "# Book\n\nAn exception.\n\n```{toctree}\npart/page\nwords\n```\n",
    "words.md": "# Words\n\n```{glossary}\nexception\n  Of a route.\n```\n",
}


@pytest.fixture
def parts(book, tmp_path):
    """parts(sources): the page, of a build with a state."""
    state = tmp_path / "state"
    (state / "pieces").mkdir(parents=True)
    for name in (STATE, CELLS, EMULATOR, WASM, *TERMINAL, *LICENCES):
        (state / name).write_bytes(name.encode())
    (state / "pieces" / "0a").write_bytes(b"piece")
    (state / "state.json").write_text(json.dumps({"packages": PACKAGES, "npm": NPM, "disks": {}}))

    def build(live_sources: str, live_from_folder: bool = False) -> str:
        built = book(
            PAGE,
            extensions=EXTENSIONS,
            live_state=str(state),
            live_sources=live_sources,
            live_from_folder=live_from_folder,
        )
        assert built.status == 0 and built.warnings == ""
        assert [file.read_bytes() for file in built.out.glob("_static/live/*/copyright.tar.gz")] == [
            b"copyright.tar.gz"
        ]
        return (built.out / "part/page.html").read_text("utf-8")

    return build


def rows(html: str) -> list[list[str]]:
    """The table's cells, without markup."""
    return [
        [
            unescape(re.sub(r"<[^>]*>", "", cell)).strip()
            for cell in re.findall(r"<t[hd].*?>(.*?)</t[hd]>", row, re.DOTALL)
        ]
        for row in re.findall(r"<tr.*?>(.*?)</tr>", html, re.DOTALL)
    ]


def test_each_part_is_named_with_its_licences_and_leads_to_its_source(parts):
    html = parts("https://far.example/s/")
    assert rows(html)[1:] == [
        ["linux-image", "6.1.176-1", "GPL-2, Zlib", "linux-signed-i386 6.1.176+1, linux 6.1.176-1"],
        ["ipvsadm", "1:1.31-1", "GPL-2+ with an exception", "ipvsadm 1:1.31-1"],
        ["v86", "0.5", "BSD-2-Clause", "v86-0.5.tgz"],
        ["@xterm/xterm", "5", "MIT", "xterm-xterm-5.tgz"],
    ]
    for file in ("debian/linux_6.1.176-1.dsc", "debian/ipvsadm_1.31-1.dsc", "npm/xterm-xterm-5.tgz", "README.md"):
        assert f'href="https://far.example/s/{file}"' in html
    assert "<em>above</em>" in html and 'href="#made-of"' in html
    assert re.search(r'href="\.\./_static/live/\w+/copyright.tar.gz"', html)


def test_the_words_of_licences_are_not_those_of_the_glossary(parts):
    assert "wpw-term" not in parts("")


def test_a_folder_of_the_site_is_found_from_the_page(parts):
    assert 'href="../sources/debian/linux_6.1.176-1.dsc"' in parts("sources")


def test_without_a_place_it_says_who_has_to_name_one(parts):
    html = parts("")
    assert "LAB_TAB_SOURCES" in html and "whoever publishes it publishes the sources" in html
    assert ".dsc" not in html and "linux 6.1.176-1" in html


def test_a_build_without_the_kernel_has_no_such_section(book):
    built = book(PAGE, extensions=EXTENSIONS, live_state="", live_sources="s")
    assert built.status == 0 and "Made of" not in (built.out / "part/page.html").read_text("utf-8")


def test_what_only_a_server_gives_is_not_in_a_site_for_folders(parts, tmp_path):
    """A page that was opened from a folder loads no file but scripts; what is a script anyway stays as it is."""

    def files() -> set[str]:
        return {file.name for file in tmp_path.rglob("_static/live/**/*") if file.is_file()}

    parts("")
    served = files()
    for folder in ("html", "src", "doctrees"):
        shutil.rmtree(tmp_path / folder)
    parts("", live_from_folder=True)
    assert served - files() == {STATE, CELLS, f"{WASM}.gz", DISKS, "0a"}
    assert {f"{STATE}.js", f"{CELLS}.js", f"{WASM}.gz.js", f"{DISKS}.js", "0a.js", EMULATOR, *LICENCES} <= files()
