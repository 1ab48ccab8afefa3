"""Can everyone read every page: in both themes, by keyboard, without sight, on any screen?"""

import importlib.resources

import pytest

from tests.site.browsing import OF_EACH_KIND, at_widths, each_page, in_colours, visit

AXE = importlib.resources.files("axe_playwright_python") / "axe.min.js"
CHAPTER = "book/frag-needed"  # of all pages it has the most components
LEVEL = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]


# What to ask axe: its rules of this level, or of them those that look at colours.
RUN = """([within, level, colours]) => {
    const asked = axe.getRules(level).filter(rule => rule.tags.includes('cat.color')).map(rule => rule.ruleId);
    return axe.run(within, {runOnly: colours ? {type: 'rule', values: asked} : level, resultTypes: ['violations']});
}"""


def violations(page, colours: bool = False, within: str = "html") -> list[str]:
    """What axe finds against WCAG 2.2 AA on a page or in a part of it, or in the colours alone: the rule, the element,
    and why."""
    page.evaluate(AXE.read_text("utf-8"))
    found = page.evaluate(RUN, [within, LEVEL, colours])
    return [
        f"{rule['id']}: {node['html'][:160]} ({node['failureSummary']})"
        for rule in found["violations"]
        for node in rule["nodes"]
    ]


def unfolded(page) -> None:
    """What is folded away is read too, by those who open it."""
    page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")


@pytest.mark.parametrize("name", each_page())
def test_axe_finds_nothing_at_wcag_2_2_aa(site, browser, name):
    """The themes differ in their colours and in nothing else."""
    with visit(browser, f"{site}/{name}.html", reduced_motion="reduce") as seen:
        unfolded(seen.page)
        in_colours(seen.page, "light")
        assert violations(seen.page) == []
        in_colours(seen.page, "dark")
        assert violations(seen.page, colours=True) == []


@pytest.mark.parametrize("name", each_page([*OF_EACH_KIND, "book/addr-select"], base=[CHAPTER]))
def test_axe_finds_nothing_on_a_telephone(site, browser, name):
    """Where tables scroll, and what can be pressed may be small."""
    with visit(browser, f"{site}/{name}.html", 390, reduced_motion="reduce") as seen:
        unfolded(seen.page)
        assert violations(seen.page) == []


@pytest.mark.parametrize("scheme, pale", [("light", "#ccc"), ("dark", "#444")])
def test_axe_would_find_something(site, browser, scheme, pale):
    with visit(browser, f"{site}/book/index.html") as seen:
        in_colours(seen.page, scheme)
        seen.page.evaluate(
            "pale => document.querySelector('article').insertAdjacentHTML('beforeend', "
            '`<p style="color:${pale}">pale</p><img src="x.png">`)',
            pale,
        )
        found, of_colours = (" ".join(violations(seen.page, colours)) for colours in (False, True))
        assert "color-contrast" in found and "image-alt" in found
        assert "color-contrast" in of_colours and "image-alt" not in of_colours


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
                    && !(each.closest('figure[role=img]') && said(each.closest('figure[role=img]')))
                    // A bar, hidden from who listens, because its number stands beside it.
                    && !(each.matches('.wpw-measured[aria-hidden]') && each.parentElement.textContent.trim()));
            return [...images, ...drawings].map(each => each.outerHTML.slice(0, 120));
        }""")
        assert dumb == []


ROOM = "[document.documentElement.scrollWidth, window.innerWidth]"


@pytest.mark.parametrize("name", each_page())
def test_the_page_does_not_scroll_sideways(site, browser, name):
    with visit(browser, f"{site}/{name}.html") as seen:
        rooms = at_widths(seen.page, [360, 1280, 3840], ROOM)
        assert {width: taken for width, (taken, room) in rooms.items() if taken > room} == {}


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
