"""Names of functions as tracers and compilers write them."""

import re

# What gcc and clang append to a copy that they specialised or split, and tracers to an address.
CLONE = re.compile(r"(\.(constprop|isra|part|cold|llvm)(\.\d+)?|\.\d+)+$")
OFFSET = re.compile(r"\+0x[0-9a-f]+(/0x[0-9a-f]+)?$|\+\d+$")


def function_name(observed: str) -> str:
    """The C function behind a traced frame: 'ip_fragment.constprop.0+0x7a' gives 'ip_fragment'."""
    return CLONE.sub("", OFFSET.sub("", observed))
