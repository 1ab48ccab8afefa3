"""Does every link of the built site lead somewhere? Inside it always; outside when asked."""

import http.client
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag, urljoin, urlparse

HERE = "file:///"  # the site's root, while addresses are resolved
DEADLINE_S = 20
AT_ONCE = 4
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
    return {page.relative_to(folder).as_posix(): Addresses(page.read_text("utf-8"))
            for page in sorted(folder.rglob("*.html")) if "_static" not in page.relative_to(folder).parts}


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
    """Asks each address on another host once; returns those that gave no page, with who names them."""
    naming: dict[str, str] = {}
    for name, page in read(folder).items():
        for target in page.targets:
            whole = urldefrag(target)[0]
            host = urlparse(whole).hostname
            if whole.startswith(("https://", "http://")) and host != "127.0.0.1":
                naming.setdefault(whole, name)
    with ThreadPoolExecutor(AT_ONCE) as pool:
        answers = []
        for number, answer in enumerate(pool.map(fault_of, naming), 1):
            progress(f"{number} of {len(naming)}")
            answers.append(answer)
    return [f"{name}: {address}: {fault}" for (address, name), fault in zip(naming.items(), answers) if fault]


def fault_of(address: str) -> str:
    """Why this address gives no page; nothing if it does."""
    request = urllib.request.Request(address, headers={"User-Agent": "where-packets-wait link check"})
    try:
        with urllib.request.urlopen(request, timeout=DEADLINE_S):
            return ""
    except urllib.error.HTTPError as error:
        return f"HTTP {error.code}"
    except (OSError, ValueError, http.client.HTTPException) as error:
        return str(getattr(error, "reason", error))
