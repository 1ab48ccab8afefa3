"""What does a link to a page show elsewhere, and can the data behind its figures be had?"""

import csv
import json
import re
import struct

import pytest
from bs4 import BeautifulSoup

from core import cases
from core.draw import figures
from host.paths import REPOSITORY
from host.site import links
from tests.site.browsing import toc_pages


def metas(html: str) -> dict[str, str]:
    """The page's <meta> by name or property; docutils writes the content first."""
    return dict(re.findall(r'<meta (?:name|property)="([^"]+)" content="([^"]*)"', html)) | {
        name: content for content, name in re.findall(r'<meta content="([^"]*)" name="([^"]+)"', html)
    }


@pytest.mark.parametrize("name", toc_pages())
def test_a_page_has_title_description_and_picture(built_site, name):
    html = (built_site / f"{name}.html").read_text("utf-8")
    found = metas(html)
    assert re.search(r"<title>[^<]{5,}</title>", html)
    assert found["og:title"] and found["og:description"] == found["description"]
    assert 5 < len(found["description"]) <= 201
    picture = (built_site / name).parent / found["og:image"]
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert found["og:image:alt"]


def test_descriptions_differ(built_site):
    pages = [name for name in toc_pages() if name not in ("genindex", "search")]
    said = [metas((built_site / f"{name}.html").read_text("utf-8"))["description"] for name in pages]
    assert len(set(said)) == len(said)


def test_the_first_page_begins_with_one_sentence_and_one_button(built_site):
    article = BeautifulSoup((built_site / "book/index.html").read_text("utf-8"), "html.parser").select_one("article")
    sentence, button = article.select("p")[:2]
    assert sentence.get_text().strip().count(".") == 1
    assert [link["href"] for link in button.select("a.sd-btn")] == ["frag-needed.html"]
    assert len(article.select("a.sd-btn")) == 1


def test_whole_sentences_are_kept():
    from book._ext.pages.page_head import shortened

    assert shortened("Short.") == "Short."
    assert shortened("One. " + "Two " * 80) == "One."
    assert shortened("word " * 80).endswith("word\N{HORIZONTAL ELLIPSIS}")


CHAPTERS = list(cases.cases())


@pytest.mark.parametrize("name", [name for name in toc_pages() if name not in ("genindex", "search")])
def test_a_chapter_shows_its_number_and_other_pages_have_none(built_site, name):
    page = BeautifulSoup((built_site / f"{name}.html").read_text("utf-8"), "html.parser")
    case = name.removeprefix("book/")
    number = f"{CHAPTERS.index(case) + 1}. " if case in CHAPTERS else ""
    assert "".join(each.get_text() for each in page.select("article :is(h1, h2) .section-number")) == number
    told = [link.get_text() for link in page.select("nav.bd-docs-nav .toctree-l1 > a")]
    assert [each.split()[0] for each in told if each[0].isdigit()] == [f"{n}." for n, _ in enumerate(CHAPTERS, 1)]


def test_who_speaks_of_a_chapter_by_its_number_leads_to_it(built_site):
    seen = 0
    for file in built_site.glob("book/*.html"):
        for link in BeautifulSoup(file.read_text("utf-8"), "html.parser").select("article a[href]"):
            if number := re.match(r"[Cc]hapter (\d)", link.get_text()):
                seen += 1
                page = link["href"].partition(".html")[0].rsplit("/", 1)[-1]
                case = page.removesuffix("-further").removesuffix("-exercises")
                assert case == CHAPTERS[int(number[1]) - 1], f"{file.name}: {link}"
    assert seen > 10


def test_every_link_within_the_site_leads_somewhere(built_site):
    assert links.internal(built_site) == []


def test_a_link_that_leads_nowhere_is_noticed(tmp_path):
    (tmp_path / "a.html").write_text(
        '<p id="here"><a href="b.html#there">b</a><a href="#here">a</a><img src="c.png"><a href="b.html#nowhere">b</a>'
    )
    (tmp_path / "b.html").write_text('<p id="there">')
    assert links.internal(tmp_path) == [
        "a.html: c.png: there is no c.png",
        "a.html: b.html#nowhere: b.html has no place 'nowhere'",
    ]


def test_the_data_of_a_ladder_is_its_packets(built_site):
    recorded = json.loads((REPOSITORY / "book/_recordings/frag-needed.json").read_text())
    folder = built_site / "_data/frag-needed"
    with (folder / "b-ladder.csv").open() as file:
        rows = list(csv.DictReader(file))
    packets = recorded["run"]["captures"]["direct_b"]
    assert len(rows) == len(packets) > 3
    assert [float(row["time, ms"]) for row in rows] == pytest.approx(
        [packet["time_s"] * 1e3 for packet in packets], abs=0.001
    )
    told = json.loads((folder / "b-ladder.json").read_text())
    assert told["provenance"] == recorded["provenance"]
    assert [{name: value for name, value in row.items() if value} for row in rows] == [
        {name: value for name, value in row.items() if value} for row in told["rows"]
    ]


def test_captures_and_events_are_offered_as_they_were_taken(built_site):
    folder = built_site / "_data/frag-needed"
    page = (built_site / "book/frag-needed-further.html").read_text("utf-8")
    for name in ("a-ladder.pcap", "b-ladder.pcap", "timeline.events.json"):
        assert f'href="../_data/frag-needed/{name}"' in page
    capture = (folder / "b-ladder.pcap").read_bytes()
    assert capture[:4] == struct.pack("=I", 0xA1B23C4D)  # pcap, times in nanoseconds
    events = json.loads((folder / "timeline.events.json").read_text())
    assert {event["function"] for event in events} >= {"tcp_v4_err", "tcp_simple_retransmit"}


def test_a_page_says_where_its_figures_were_recorded_and_each_offers_its_data(built_site):
    for page in sorted((built_site / "book").glob("*.html")):
        html = page.read_text("utf-8")
        figures = html.count('class="wpw-recorded-figure')
        assert len(re.findall(r'<p class="wpw-files">Data: <a ', html)) == figures, page.name
        said = BeautifulSoup(html, "html.parser").select("article .wpw-provenance")
        under_title = [each.get_text() for each in said if each.find_previous_sibling("h1")]
        assert all(line.startswith("Recorded 20") for line in under_title), page.name
        if len(under_title) == 1:  # it holds for every figure that does not say another
            assert [each.get_text() for each in said].count(under_title[0]) == 1, page.name
        else:
            assert len(said) >= figures, page.name


def test_a_plots_series_and_a_table_in_plain_text():
    from book._ext.recordings.figure_data import figure_files

    series = [{"series": "as it is", "exchange": "A", "waited (ms)": 23.0}]
    plot = {"kind": "plot", "rows": series}
    assert figure_files(plot, {"says": ""})["csv"] == "series,exchange,waited (ms)\nas it is,A,23.0\n"
    text = figure_files(figures.table("a < b\n1   2\n", "Title"), {"says": "Recorded."})
    assert text == {"txt": "Recorded.\n\na < b\n1   2\n"}
    assert figure_files(figures.topology({}, "Title"), {"says": ""}) == {}
