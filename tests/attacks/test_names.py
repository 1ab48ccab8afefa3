"""Is a file of a recording named, and not placed? What a guest prints as a name is no path on this machine."""

import base64
import json

import pytest

from host.errors import LabError
from host.recording import artifacts, record

ORIGIN = {"date": "2026-01-31"}
TABLE = {"kind": "table", "title": "ä", "text": "<b>", "wraps": False}
PLOT = {"kind": "plot", "alt": "x", "width": 100, "height": 50, "rows": []}
NO_NAMES = [
    "../../escaped",
    "../escaped",
    "/tmp/escaped",
    ".git/hooks/post-checkout",
    ".gitattributes",
    "folder/file",
    "folder\\file",
    "",
    ".",
    "..",
    "a\0b",
    "a\nb",
    "a" * 256,
    "-rf",
    "\ud800",
]


@pytest.fixture
def stored(tmp_path, monkeypatch):
    """Store these data where nothing else is; the folder, in which an escape would be seen."""
    recordings = tmp_path / "book" / "_recordings"
    recordings.mkdir(parents=True)
    monkeypatch.setattr(record, "RECORDINGS", recordings)

    def store(data: dict) -> dict[str, bytes]:
        record._store("case", data, ORIGIN)
        return {path.relative_to(recordings).as_posix(): path.read_bytes() for path in recordings.rglob("*.*")}

    store.files = lambda: [path for path in tmp_path.rglob("*") if path.is_file()]
    return store


def test_what_is_named_is_stored_under_its_name(stored):
    capture = artifacts.CAPTURE + b"\x00\xff"
    pcap = {"base64": base64.b64encode(capture).decode()}
    found = stored({"figures": {"b": TABLE}, "files": {"b.pcap": pcap, "b.json": '"ö"'}, "n": 1})
    assert json.loads(found.pop("case.json")) == {"n": 1, "provenance": ORIGIN}
    assert json.loads(found.pop("case/b.figure.json")) == TABLE
    assert found == {"case/b.pcap": capture, "case/b.json": '"ö"'.encode()}


@pytest.mark.parametrize("kind", ["figures", "files"])
@pytest.mark.parametrize("name", NO_NAMES, ids=ascii)
def test_what_is_no_name_is_refused_and_nothing_written(stored, kind, name):
    with pytest.raises(LabError, match="name .small letters.* found .*; nothing was stored"):
        stored({"figures": {"a": TABLE}, "files": {"a.json": "1"}} | {kind: {name: "mine"}})
    assert not stored.files()


@pytest.mark.parametrize(
    "data, why",
    [
        ({}, "figures by their names, found None"),
        ({"figures": ["a"]}, "figures by their names, found"),
        ({"figures": {"a": 1}}, "the figure a: expected a figure .one of stack, .*, found 1"),
        ({"figures": {"a": {"kind": "html"}}}, "the figure a: expected a figure"),
        ({"figures": {"a": {"kind": "stack", "rows": []}}}, "the figure a: not whole, a figure of kind stack"),
        ({"figures": {}, "files": ["a"]}, "files by their names, found"),
        ({"figures": {"a": TABLE}, "files": {"a.figure.json": "mine"}}, "a name that no figure has, found 'a.figure"),
        ({"figures": {}, "files": {"a": 1}}, "text or base64 for the file a, found 1"),
        ({"figures": {}, "files": {"a": {"base64": 1}}}, "text or base64 for the file a"),
        ({"figures": {}, "files": {"a": {"base64": "!"}}}, "base64 for the file a, found other text"),
        # What a page's own markup could load as a script of the site.
        ({"figures": {}, "files": {"a.js": "alert(1)"}}, "a file called .*, found 'a.js'"),
        ({"figures": {}, "files": {"a.html": "1"}}, "a file called .*, found 'a.html'"),
        ({"figures": {}, "files": {"a.json": "alert(1)"}}, "JSON in the file a.json, found other text"),
        ({"figures": {}, "files": {"a.pcap": "alert(1)"}}, "a capture in the file a.pcap, found b'alert"),
    ],
)
def test_what_cannot_be_stored_is_refused_and_nothing_written(stored, data, why):
    with pytest.raises(LabError, match=why):
        stored(data)
    assert not stored.files()


@pytest.mark.parametrize(
    "svg",
    [
        "<script>fetch('//far.example')</script>",
        '<g onload="alert(1)"/>',
        '<use xlink:href="https://far.example/a.svg#b"/>',
        '<image xlink:href="https://far.example/a.png"/>',
        "<foreignObject><p>mine</p></foreignObject>",
        "<g></svg><script>",
    ],
)
def test_a_plot_that_does_more_than_draw_is_refused(stored, svg):
    with pytest.raises(LabError, match="the figure a.*nothing was stored"):
        stored({"figures": {"a": PLOT | {"svg": svg}}})
    assert not stored.files()
    drawn = (
        '<defs><pattern id="c"/><style type="text/css">*{x:y}</style></defs>'
        '<g id="a"><use xlink:href="#b" style="fill:red"/></g>'
    )
    assert "case/a.figure.json" in stored({"figures": {"a": PLOT | {"svg": drawn}}})


@pytest.mark.parametrize(
    "svg",
    [
        "<!--> <script>alert(1)</script> -->",
        "<?x ><script>alert(1)</script>?>",
        "<style><![CDATA[</style><script>]]></style>",
    ],
)
def test_what_a_browser_may_not_take_for_a_comment_is_not_stored(stored, svg):
    kept = json.loads(
        stored({"figures": {"a": PLOT | {"svg": f'<g id="a"/>{svg}<use xlink:href="#b"/>'}}})["case/a.figure.json"]
    )
    assert "<script" not in kept["svg"] and '<g id="a" />' in kept["svg"] and '<use xlink:href="#b" />' in kept["svg"]
