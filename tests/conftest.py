"""Which tests does a run have? Those of the parts that `./lab test` names; without --parts, each one.

A test without a mark is of the base. `@pytest.mark.part("site", why="…")` makes it one of that part (or of several):
it runs when that part's files have changed, and with `./lab test --all`; see host/testing/parts.py.
"""

import os

import pytest

from host.testing.parts import BASE, parts


def pytest_addoption(parser):
    parser.addoption("--parts", help="only the tests of these parts, with commas between; every test if not given")


def pytest_configure(config):
    config.addinivalue_line("markers", "part(*parts, why): beyond the base; runs when files of its part have changed")


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item):
    """In CI nothing may be missing: a test that is skipped there has failed."""
    report = (yield).get_result()
    if report.skipped and not hasattr(report, "wasxfail") and os.environ.get("CI"):
        report.outcome, report.longrepr = "failed", f"skipped in CI: {report.longrepr}"


@pytest.hookimpl(hookwrapper=True)
def pytest_make_collect_report(collector):
    """Nor a file that is skipped whole."""
    report = (yield).get_result()
    if report.skipped and os.environ.get("CI"):
        report.outcome, report.longrepr = "failed", f"skipped in CI: {report.longrepr}"


def pytest_collection_modifyitems(config, items):
    known, asked = {BASE, *parts()}, config.getoption("parts")
    kept, left = [], []
    for item in items:
        mark = item.get_closest_marker("part")
        of = set(mark.args) if mark else {BASE}
        if not of or of - known:
            raise pytest.UsageError(f"{item.nodeid}: no part {of - known}; there are: {', '.join(sorted(known))}")
        (kept if asked is None or of & set(asked.split(",")) else left).append(item)
    if left:
        config.hook.pytest_deselected(items=left)
        items[:] = kept
