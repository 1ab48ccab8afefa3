"""Does each page say what may be loaded and run, and does the browser hold to it?"""

from __future__ import annotations

import pytest

from book._ext.pages.content_policy import handlers, policy
from tests.site.browsing import toc_pages, visit


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


def test_a_script_of_the_page_is_named_by_its_hash_and_data_is_no_script():
    said = policy(
        '<script>let a = "é";</script><script type="application/json">{}</script><script src="a.js"></script>', set()
    )
    assert said.count("'sha256-") == 1 and "unsafe-hashes" not in said
    of_site = handlers('<button onclick="window.print()">')
    assert len(of_site) == 1 and f"'unsafe-hashes' {of_site.pop()}" in policy(
        "<p>", handlers('<a onclick="window.print()">')
    )
