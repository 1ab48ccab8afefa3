"""Can everyone read every page: in both themes, by keyboard, without sight, on any screen?"""

from __future__ import annotations

import importlib.resources

import pytest
from browsing import OF_EACH_KIND, each_page, visit

AXE = importlib.resources.files("axe_playwright_python") / "axe.min.js"
CHAPTER = "book/frag-needed"  # of all pages it has the most components
LEVEL = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]


def violations(page) -> list[str]:
    """What axe finds against WCAG 2.2 AA: the rule, the element, and why."""
    page.evaluate(AXE.read_text("utf-8"))
    found = page.evaluate("tags => axe.run(document, {runOnly: tags, resultTypes: ['violations']})", LEVEL)
    return [
        f"{rule['id']}: {node['html'][:160]} ({node['failureSummary']})"
        for rule in found["violations"]
        for node in rule["nodes"]
    ]


def accessible(site, browser, name, scheme, width=1280):
    with visit(browser, f"{site}/{name}.html", width, scheme=scheme, reduced_motion="reduce") as seen:
        assert seen.page.evaluate("document.documentElement.dataset.theme") == scheme
        # What is folded away is read too, by those who open it.
        seen.page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
        assert violations(seen.page) == []


@pytest.mark.parametrize("name", each_page())
def test_axe_finds_nothing_at_wcag_2_2_aa(site, browser, name):
    accessible(site, browser, name, "light")


@pytest.mark.parametrize("name", each_page(base=[CHAPTER]))
def test_axe_finds_nothing_in_the_dark(site, browser, name):
    accessible(site, browser, name, "dark")


@pytest.mark.parametrize("name", each_page([*OF_EACH_KIND, "book/addr-select"], base=[CHAPTER]))
def test_axe_finds_nothing_on_a_telephone(site, browser, name):
    """Where tables scroll, and what can be pressed may be small."""
    accessible(site, browser, name, "light", width=390)


def test_axe_would_find_something(site, browser):
    with visit(browser, f"{site}/book/index.html") as seen:
        seen.page.evaluate(
            "document.querySelector('article').insertAdjacentHTML('beforeend', "
            '\'<p style="color:#ccc;background:#fff">pale</p><img src="x.png">\')'
        )
        found = " ".join(violations(seen.page))
        assert "color-contrast" in found and "image-alt" in found


@pytest.mark.parametrize("name", each_page())
def test_pictures_have_words(site, browser, name):
    with visit(browser, f"{site}/{name}.html") as seen:
        dumb = seen.page.evaluate("""() => {
            const said = each => (each.getAttribute('aria-label') || '').trim()
                || (each.getAttribute('aria-labelledby') || '').split(/\\s+/)
                    .map(id => document.getElementById(id)?.textContent.trim() || '').join('');
            const images = [...document.querySelectorAll('main img')].filter(
                each => !(each.getAttribute('alt') || '').trim());
            const drawings = [...document.querySelectorAll('main svg')].filter(
                each => !said(each) && !each.closest('button, a')
                    && !(each.closest('figure[role=img]') && said(each.closest('figure[role=img]'))));
            return [...images, ...drawings].map(each => each.outerHTML.slice(0, 120));
        }""")
        assert dumb == []


@pytest.mark.parametrize(
    "width, height", [(360, 740), (1280, 900), pytest.param(3840, 2160, marks=pytest.mark.whole("site"))]
)
@pytest.mark.parametrize("name", each_page())
def test_the_page_does_not_scroll_sideways(site, browser, name, width, height):
    with visit(browser, f"{site}/{name}.html", width, height) as seen:
        room = seen.page.evaluate("[document.documentElement.scrollWidth, window.innerWidth]")
        assert room[0] <= room[1], f"{name} is {room[0]} px wide in {room[1]}"


def focused(page) -> dict:
    """What has the focus, and whether it can be seen that it has."""
    return page.evaluate("""() => {
        const it = document.activeElement, style = getComputedStyle(it);
        const hit = it.querySelector?.('.wpw-hit, rect, .toctree-toggle');
        const inner = hit ? getComputedStyle(hit) : style, seen = (hit || it).getBoundingClientRect();
        return {name: it.tagName, href: it.getAttribute('href'), text: it.textContent.trim().slice(0, 40),
                class: String(it.className),
                outline: `${style.outlineStyle} ${style.outlineWidth} ${style.boxShadow}`,
                drawn: seen.width > 0 && seen.height > 0,
                marked: style.outlineStyle !== 'none' || style.boxShadow !== 'none' ||
                    inner.outlineStyle !== 'none' || inner.stroke !== 'none'};
    }""")


@pytest.mark.parametrize("name", ["book/index", "book/frag-needed"])
def test_the_keyboard_leads_through_the_navigation(site, browser, name):
    with visit(browser, f"{site}/{name}.html") as seen:
        seen.page.keyboard.press("Tab")
        assert "main-content" in focused(seen.page)["href"]  # the first stop skips the navigation
        target = {"book/index": "frag-needed.html", "book/frag-needed": "../notebooks/frag-needed.html"}[name]
        for _ in range(60):
            seen.page.keyboard.press("Tab")
            at = focused(seen.page)
            assert at["drawn"] and at["marked"], at
            if at["href"] == target:
                break
        else:
            pytest.fail(f"no {target} within 60 stops of {name}")
        seen.page.keyboard.press("Enter")
        seen.page.wait_for_url(f"**/{target.removeprefix('../')}")


def test_on_a_telephone_the_keyboard_opens_and_shuts_the_navigation(site, browser):
    with visit(browser, f"{site}/book/index.html", 360, 740) as seen:
        page = seen.page
        page.focus("button.primary-toggle")
        page.keyboard.press("Enter")
        link = page.locator(".bd-sidebar-primary a[href='frag-needed.html'], dialog a[href='frag-needed.html']")
        link.first.wait_for(state="visible")
        page.keyboard.press("Escape")
        link.first.wait_for(state="hidden")
        assert focused(page)["drawn"]
