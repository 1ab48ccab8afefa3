"""What does chapter 1 lead to, past the balancer and once, wherever it runs? One table: for QEMU's guest
(test_frag_needed.py beside this), for the tab's guest under Node (tests/vm/test_tab.py), and for its page in Chromium
and in Firefox (tests/site). All of them run the same labs/."""

import math

from labs.cases.frag_needed.judge import HELD_UP_MS

ORDER = ["A", "B", "B again"]
# The least and the most of each, without a route that says 1480 beforehand, and with it. A machine that stands still
# lets TCP send a refused segment again, and it is refused again.
EXPECTED = {
    False: {"sent_bytes": (1448, 1448), "IpFragFails": (1, math.inf), "IcmpInDestUnreachs": (2, math.inf)},
    True: {"sent_bytes": (1428, 1428), "IpFragFails": (0, 0), "IcmpInDestUnreachs": (0, 0)},
}
# And of a run that was measured.
EXPECTED_MEASURED = {
    False: {"IpFragFails": (1, 1), "IcmpOutDestUnreachs": (1, 1), "icmp_to_self": (1, 1)},
    True: {"IcmpOutDestUnreachs": (0, 0), "icmp_to_self": (0, 0)},
}


def differences(run: dict, told: bool = False) -> list[str]:
    """In what a run, as JSON, differs from what is expected of it: sentences. `told` is the route. Where a run does not
    say whether it was measured, it was if the machine held still."""
    measured = run.get("measured", run.get("held_up_ms", 0) <= HELD_UP_MS)
    found = {"icmp_to_self": run["icmp_to_self"], **run["counters"]}
    seen = [("sent_bytes", one["sent_bytes"]) for one in run["exchanges"]]
    expected = EXPECTED[told] | (EXPECTED_MEASURED[told] if measured else {})
    seen += [(name, found.get(name, 0)) for name in expected if name != "sent_bytes"]
    said = [
        f"{name}: expected {expected[name]}, found {value}"
        for name, value in seen
        if not expected[name][0] <= value <= expected[name][1]
    ]
    if (names := [one["name"] for one in run["exchanges"]]) != ORDER:
        said.append(f"expected the exchanges {ORDER}, found {names}")
    if run.get("told", told) is not told:
        said.append(f"expected told {told}, found {run['told']}")
    a_ms, b_ms, again_ms = (run[name] for name in ("a_ms", "b_ms", "b_again_ms"))
    if measured and not told and not b_ms > max(a_ms, again_ms):
        said.append(f"expected B to wait longest, found A {a_ms} ms, B {b_ms} ms, B again {again_ms} ms")
    return said
