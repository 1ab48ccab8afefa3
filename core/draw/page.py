"""What does a page add to a picture: where its words lead, and which of them the page speaks of?

A picture that is drawn in a terminal, a guest or a notebook has none of it. The site knows where each function is
quoted and explained, and hands that to whatever draws.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

from core.draw.tree import Element, h
from core.symbols import function_name

MIME = "application/vnd.where-packets-wait.figure+json"  # of a figure's data in a notebook's output, for the site


def nowhere(_name: str) -> None:
    """Leads nowhere."""


@dataclass(frozen=True)
class Page:
    """The page that a picture is drawn for.

    `function` gives the attributes of the link from a function's name, or None. `packet` gives, by the sentence that
    describes a packet, the function whose code is behind it and that code's address, or None. `named` are the
    functions that the page speaks of; None if all are to be shown alike.
    """

    function: Callable[[str], Mapping[str, str] | None] = nowhere
    packet: Callable[[str], tuple[str, str] | None] = nowhere
    named: Collection[str] | None = None

    def linked(self, name: str, shown: Element) -> Element:
        """What is shown of a function, as a link if it leads anywhere."""
        attributes = self.function(function_name(name))
        return h("a", attributes, shown) if attributes else shown


ALONE = Page()  # a picture in a terminal or a notebook: it leads nowhere, and all of it is shown
