"""How is a page opened in Firefox? By Debian's, over WebDriver BiDi; the few commands that the tests need, because
Playwright asks of a Firefox what this one does not know yet (emulation.setMediaFeaturesOverride)."""

import contextlib
import json
import re
import subprocess
import tempfile
from collections.abc import Iterator

import websocket  # Jupyter's server brings it

LISTENS = re.compile(r"WebDriver BiDi listening on (ws://\S+)")
ANSWER_S = 120
# Of a first start: nothing asked of other hosts.
PREFERENCES = {
    "datareporting.policy.dataSubmissionEnabled": False,
    "app.normandy.enabled": False,
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
}


class Page:
    """A tab. `errors` are what its console was told of as such."""

    def __init__(self, socket: websocket.WebSocket):
        self._socket, self._sent, self.errors = socket, 0, []
        self._ask("session.new", capabilities={})
        self._ask("session.subscribe", events=["log.entryAdded"])
        self._context = self._ask("browsingContext.create", type="tab")["context"]

    def goto(self, address: str) -> None:
        """Until all of it is loaded."""
        self._ask("browsingContext.navigate", context=self._context, url=address, wait="complete")

    def text(self, selector: str, number: int = 0) -> str | None:
        """The text of the first element, or of that of this number; None if there is none."""
        script = f"document.querySelectorAll({json.dumps(selector)})[{number}]?.textContent ?? null"
        return self._ask("script.evaluate", expression=script, target={"context": self._context}, awaitPromise=False)[
            "result"
        ].get("value")

    def write(self, selector: str, text: str) -> None:
        """In the first field, in the place of what stands there."""
        self._with(
            self._element(selector), "(it, text) => { it.value = text; it.dispatchEvent(new Event('input')); }", text
        )

    def click(self, selector: str, number: int = 0) -> None:
        """With the pointer, in the middle of the first element, or of that of this number."""
        element = self._element(selector, number)
        self._with(element, "it => it.scrollIntoView({block: 'center'})")
        there = {"type": "element", "element": {"sharedId": element["sharedId"]}}
        self._ask(
            "input.performActions",
            context=self._context,
            actions=[
                {
                    "type": "pointer",
                    "id": "mouse",
                    "actions": [
                        {"type": "pointerMove", "x": 0, "y": 0, "origin": there},
                        {"type": "pointerDown", "button": 0},
                        {"type": "pointerUp", "button": 0},
                    ],
                }
            ],
        )

    def _element(self, selector: str, number: int = 0) -> dict:
        locator = {"type": "css", "value": selector}
        found = self._ask("browsingContext.locateNodes", context=self._context, locator=locator)
        return found["nodes"][number]

    def _with(self, element: dict, function: str, *texts: str) -> None:
        self._ask(
            "script.callFunction",
            functionDeclaration=function,
            arguments=[{"sharedId": element["sharedId"]}, *({"type": "string", "value": text} for text in texts)],
            target={"context": self._context},
            awaitPromise=False,
        )

    def _ask(self, method: str, **parameters) -> dict:
        self._sent += 1
        self._socket.send(json.dumps({"id": self._sent, "method": method, "params": parameters}))
        while (said := json.loads(self._socket.recv())).get("id") != self._sent:
            if said.get("method") == "log.entryAdded" and said["params"]["level"] == "error":
                self.errors.append(said["params"]["text"])
        if said["type"] == "error":
            raise RuntimeError(f"{method}: {said['message']}")
        return said["result"]


@contextlib.contextmanager
def page() -> Iterator[Page]:
    """An empty tab of a headless Firefox with a profile of its own; ended with the block."""
    with tempfile.TemporaryDirectory(prefix="firefox-") as profile:
        with open(f"{profile}/user.js", "w") as file:
            file.writelines(f'user_pref("{name}", {json.dumps(value)});\n' for name, value in PREFERENCES.items())
        process = subprocess.Popen(
            ["firefox-esr", "--headless", "--no-remote", "--remote-debugging-port=0", "--profile", profile],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        try:
            address = next(found[1] for line in process.stderr if (found := LISTENS.search(line)))
            with contextlib.closing(
                websocket.create_connection(f"{address}/session", timeout=ANSWER_S, suppress_origin=True)
            ) as socket:
                yield Page(socket)
        finally:
            process.terminate()
            process.wait(ANSWER_S)
