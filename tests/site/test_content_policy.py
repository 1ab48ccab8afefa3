"""Does each page say what may be loaded and run, and does the browser hold to it?"""

import pytest

from book._ext.pages.content_policy import hashed, policy, scripts_in
from host.chromium import served
from tests.site.browsing import toc_pages, visit
from tests.site.conftest import code, notebook


@pytest.mark.parametrize("name", toc_pages())
def test_each_page_names_nothing_but_the_site(built_site, name):
    html = (built_site / f"{name}.html").read_text("utf-8")
    said = html.split('http-equiv="Content-Security-Policy" content="')[1].split('"')[0]
    assert html.index("Content-Security-Policy") < html.index("<script") and "default-src &#x27;none&#x27;" in said
    script = said.split("script-src ")[1].split(";")[0]
    assert "unsafe-inline" not in script and "unsafe-eval" not in script.replace("wasm-unsafe-eval", "")


TRIES = {
    "a script in the page": "<script>window.ran = true</script>",
    "a handler": "<img src='data:,' onerror='window.ran = true'>",
    "an address that is a script": "<a id='trap' href='javascript:window.ran = true'>click</a>",
}


@pytest.mark.parametrize("markup", TRIES.values(), ids=TRIES.keys())
def test_markup_that_comes_later_runs_nothing(site, browser, markup):
    """As if what a guest printed had been taken for markup."""
    with visit(browser, f"{site}/book/frag-needed.html") as seen:
        seen.page.evaluate(
            "markup => document.querySelector('article').append("
            "document.createRange().createContextualFragment(markup))",
            markup,
        )
        seen.page.evaluate("document.querySelector('#trap')?.click()")
        seen.page.wait_for_timeout(300)
        assert seen.page.evaluate("window.ran") is None
        assert any("Content Security Policy" in error for error in seen.errors)


def test_nothing_is_asked_of_another_host(site, browser):
    with visit(browser, f"{site}/book/frag-needed.html") as seen:
        answer = seen.page.evaluate(
            "fetch('http://127.0.0.1:9/', {mode: 'no-cors'}).then(() => 'asked', error => `${error}`)"
        )
        assert "asked" not in answer and any("Content Security Policy" in error for error in seen.errors)


RAN = "window.ran = [...(window.ran || []), '{}'];"
RECORDED = {  # in a notebook's outputs, as HTML
    "a script": f"<script>{RAN}</script>",
    "a handler": f'<img src="x" onerror="{RAN}">',
    "end of the article": f"</div></section></article></main><script>{RAN}</script>",
    "another head": f"</body></html><html><head><script>{RAN}</script></head><body>",
}


@pytest.fixture
def recorded(book):
    """recorded(markup, …): a page of a notebook whose outputs are these, as HTML."""

    def built(*outputs: str):
        shown = [{"output_type": "display_data", "metadata": {}, "data": {"text/html": each}} for each in outputs]
        return book(
            {"index.ipynb": notebook(code("run()", *shown))},
            html_theme="sphinx_book_theme",
            html_theme_options={"use_fullscreen_button": False},  # as in the book
            extensions=["myst_nb", "book._ext.recordings.recorded", "book._ext.pages.content_policy"],
        )

    return built


def test_what_a_recording_brings_along_runs_nothing(recorded, browser):
    """Its outputs are on the page before the policy is, and the policy names none of them."""
    built = recorded(*(markup.format(name) for name, markup in RECORDED.items()))
    assert built.status == 0, built.warnings
    with served(built.out) as site, visit(browser, f"{site}/index.html") as seen:
        seen.page.wait_for_timeout(300)
        assert seen.page.evaluate("window.ran") is None
        assert seen.page.evaluate("document.documentElement.dataset.mode") is not None  # the theme's script did run
        assert len([error for error in seen.errors if error.startswith("Executing inline ")]) == len(RECORDED)


LEADS_AWAY = {
    "plainly": '<meta http-equiv="refresh" content="0; url=search.html">',
    "in other letters": "<META/HTTP-EQUIV=&#114;efresh\nCONTENT='0; url=search.html'>",
    "below a comment that ends at once": '<!--><meta http-equiv="refresh" content="0; url=search.html"><!-- -->',
    "another head": '</body></html><html><head><meta http-equiv="refresh" content="0; url=search.html"></head><body>',
}


@pytest.mark.parametrize("markup", LEADS_AWAY.values(), ids=LEADS_AWAY.keys())
def test_a_page_that_leads_its_reader_away_is_refused(recorded, browser, markup):
    built = recorded(markup)
    assert built.status == 1 and "index.html: expected no <meta> below its head, found one" in built.warnings
    with served(built.out) as site, visit(browser, f"{site}/index.html") as seen:
        seen.page.wait_for_url("**/search.html")  # so would the reader


def test_what_is_called_nearly_so_or_is_only_shown_is_not_refused(recorded):
    built = recorded("<svg><metadata>by Matplotlib</metadata></svg>", "&lt;meta http-equiv=refresh&gt;")
    assert built.status == 0, built.warnings


def test_a_script_is_named_by_its_hash():
    found = scripts_in('<script>let a = "é";</script><script src="a.js"></script>')
    assert found == ['let a = "é";'] and hashed(found[0]) in policy("<p>", found)
    assert hashed(found[0]) not in policy("<p>", [])
