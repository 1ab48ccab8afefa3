"""Does anything on a page lie over its neighbour, or is it cut at its box's edge?"""

import pytest

from tests.site.browsing import at_widths, each_page, toc_pages, visit

WIDTHS = [360, 768, 1280, 1600, 1920]  # pixels
COLUMNS = 80  # of a table in plain text, see labs/table.py

NOTES = """() => {
    const place = each => {
        const all = document.createRange();
        all.selectNodeContents(each);
        return all.getBoundingClientRect();
    };
    const faults = [];
    let seen = 0, beside = 0;
    for (const figure of document.querySelectorAll('.wpw-source')) {
        const code = figure.querySelector('.wpw-code').getBoundingClientRect();
        let above = code.top;  // notes below the code begin below it
        for (const note of figure.querySelectorAll('.wpw-note')) {
            const here = place(note), line = document.getElementById(
                note.querySelector('.wpw-mark').getAttribute('href').slice(1)).getBoundingClientRect();
            seen += 1;
            if (here.left >= code.right - 1) {
                beside += 1;
                if (here.top < line.top - 4) faults.push(`${note.id} begins ${line.top - here.top} px above its line`);
            } else above = Math.max(above, code.bottom);
            if (here.top < above - 0.5) faults.push(`${above - here.top} px lie over the top of ${note.id}`);
            above = here.bottom;
        }
        if (above > figure.getBoundingClientRect().bottom) faults.push(`a note lies over the end of ${figure.id}`);
    }
    return {faults, seen, beside};
}"""

CUT = """columns => {
    const cut = table => {
        for (let box = table; box.tagName !== 'ARTICLE'; box = box.parentElement)
            if (getComputedStyle(box).overflowX !== 'visible' && box.scrollWidth > box.clientWidth + 1)
                return `${box.scrollWidth} px in ${box.clientWidth}: ${table.textContent.trim().slice(0, 60)}`;
    };
    const narrow = each => each.textContent.split('\\n').every(line => line.length <= columns);
    const tables = [...document.querySelectorAll('article :is(table, .wpw-table pre)'),
                    ...[...document.querySelectorAll('article .cell_output pre')].filter(narrow)];
    return {seen: tables.length, cut: tables.map(cut).filter(each => each)};
}"""

NOTED = [name for name in toc_pages() if name.startswith("book/")]


@pytest.mark.parametrize("name", each_page(NOTED))
def test_no_note_lies_over_another(site, browser, name):
    with visit(browser, f"{site}/{name}.html") as seen:
        found = at_widths(seen.page, WIDTHS, NOTES)
        assert {width: each["faults"] for width, each in found.items() if each["faults"]} == {}


def test_notes_are_looked_at_below_the_code_and_beside_it(site, browser):
    with visit(browser, f"{site}/book/frag-needed-further.html") as seen:
        found = at_widths(seen.page, WIDTHS, NOTES)
        assert all(each["seen"] > 20 for each in found.values())
        assert (bool(found[768]["beside"]), bool(found[1280]["beside"])) == (False, True)


@pytest.mark.parametrize("name", each_page())
def test_no_table_is_cut(site, browser, name):
    with visit(browser, f"{site}/{name}.html", 1280) as seen:
        assert seen.page.evaluate(CUT, COLUMNS)["cut"] == []


def test_tables_of_every_kind_are_looked_at(site, browser):
    for name, least in (("book/splice-push-further", 8), ("book/references", 1), ("notebooks/splice-push", 3)):
        with visit(browser, f"{site}/{name}.html", 1280) as seen:
            assert seen.page.evaluate(CUT, COLUMNS)["seen"] >= least
