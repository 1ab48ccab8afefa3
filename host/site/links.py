"""Does every link of the built site lead somewhere? Inside it always; outside when asked."""

import json
import subprocess
import sys
import tempfile
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag, urljoin, urlparse

from host.errors import LabError

HERE = "file:///"  # the site's root, while addresses are resolved
LINKCHECK = {  # Sphinx's own settings of that builder
    "linkcheck_timeout": 20,
    "linkcheck_workers": 4,
    "linkcheck_allow_unauthorized": 0,
    "user_agent": "where-packets-wait link check",
}
MADE_BY_SCRIPT = {"", "top"}  # fragments that lead to the page's head


class Addresses(HTMLParser):
    """What a page points at, and the places in it that others may point at."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.targets: list[str] = []
        self.places: set[str] = set()
        self.feed(html)

    def handle_starttag(self, tag, attributes) -> None:
        given = dict(attributes)
        self.places |= {given[name] for name in ("id", "name") if given.get(name)}
        self.targets += [given[name] for name in ("href", "src", "xlink:href") if given.get(name)]


def read(folder: Path) -> dict[str, Addresses]:
    """Every page of the site by its path."""
    return {
        page.relative_to(folder).as_posix(): Addresses(page.read_text("utf-8"))
        for page in sorted(folder.rglob("*.html"))
        if "_static" not in page.relative_to(folder).parts
    }


def internal(folder: Path) -> list[str]:
    """What is wrong with links within the site: one line each, with the page and the address."""
    pages, faults = read(folder), []
    for name, page in pages.items():
        for target in page.targets:
            whole, place = urldefrag(urljoin(HERE + name, target))
            if not whole.startswith(HERE):
                continue
            path = unquote(urlparse(whole).path).lstrip("/")
            if not (folder / path).is_file():
                faults.append(f"{name}: {target}: there is no {path}")
            elif path in pages and unquote(place) not in pages[path].places | MADE_BY_SCRIPT:
                faults.append(f"{name}: {target}: {path} has no place {place!r}")
    return list(dict.fromkeys(faults))


def external(folder: Path, progress=lambda words: None) -> list[str]:
    """Has Sphinx's linkcheck ask each address on another host; those that gave no page, each with one that names it.

    It is given one page of all addresses that the built site names. In the book's own sources it would not find those
    that our directives write as HTML, such as the way to quoted lines online.
    """
    naming: dict[str, str] = {}
    for name, page in read(folder).items():
        for target in page.targets:
            whole = urldefrag(target)[0]
            host = urlparse(whole).hostname
            if whole.startswith(("https://", "http://")) and host != "127.0.0.1":
                naming.setdefault(whole, name)
    faults = asked(list(naming), progress)
    return [f"{name}: {address}: {faults[address]}" for address, name in naming.items() if address in faults]


def asked(addresses: list[str], progress=lambda words: None) -> dict[str, str]:
    """Why which of these addresses gives no page. Raises LabError with Sphinx's words if it does not say of each."""
    options = [word for name, value in LINKCHECK.items() for word in ("-D", f"{name}={value}")]
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "index.rst").write_text("".join(f"`link <{each}>`__\n\n" for each in addresses), "utf-8")
        output = Path(folder, "out", "output.json")
        with subprocess.Popen(
            [sys.executable, "-P", "-m", "sphinx", "-N", "-C", "-b", "linkcheck", *options, folder, output.parent],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        ) as sphinx:
            said, answers = [], 0
            for line in sphinx.stdout:
                said.append(line)
                answers += line.startswith("(")  # an answer begins with the page and the line of its link
                progress(f"{answers} of {len(addresses)}")
        found = [json.loads(line) for line in output.read_text("utf-8").splitlines()] if output.exists() else []
    if {each["uri"] for each in found} != set(addresses):
        raise LabError(f"book: Sphinx's linkcheck did not say of each address:\n{''.join(said[-15:])}", "./lab doctor")
    return {
        each["uri"]: each["info"] or each["status"] for each in found if each["status"] not in ("working", "redirected")
    }
