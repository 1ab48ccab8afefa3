"""Is each address on another host asked, and are those told that give no page?"""

import http.server
import socket
import threading

import pytest

from host.errors import LabError
from host.site import links

ANSWERS = {"/there": 200, "/odd_*name*_": 200, "/gone": 404, "/closed": 401, "/away": 503, "/moved": 301}


@pytest.fixture
def server():
    """The address of a server on loopback, by a name that a page might use for another host, and what it was asked."""
    heard = []

    class Answers(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            heard.append(self.path)
            self.send_response(ANSWERS[self.path])
            self.send_header("Location", "/there")
            self.send_header("Content-Length", "0")
            self.end_headers()

        do_HEAD = do_GET

        def log_message(self, *words):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answers) as serving:
        threading.Thread(target=serving.serve_forever, daemon=True).start()
        yield f"http://localhost:{serving.server_port}", heard
        serving.shutdown()


def test_an_address_that_gives_no_page_is_told_with_who_names_it(tmp_path, server):
    address, heard = server
    for page, paths in (
        ("a", ["/there#place", "/there#other", "/odd_*name*_", "/moved", "/gone"]),
        ("b", ["/gone", "/closed", "/away"]),
    ):
        (tmp_path / f"{page}.html").write_text(
            "".join(f'<a href="{address}{path}">' for path in paths)
            + '<a href="http://127.0.0.1:1/the-lab"><a href="a.html">'
        )
    seen = []
    faults = links.external(tmp_path, seen.append)
    assert [fault.split(": ")[:2] for fault in faults] == [
        ["a.html", f"{address}/gone"],
        ["b.html", f"{address}/closed"],
        ["b.html", f"{address}/away"],
    ]
    assert "404" in faults[0] and "unauthorized" in faults[1] and "unavailable" in faults[2]
    assert set(heard) == set(ANSWERS) and seen[-1] == "6 of 6"
    assert heard.count("/there") == 2  # itself, once for all its places, and where /moved leads


def test_a_host_that_is_not_there_is_told(server):
    address, _ = server
    with socket.create_server(("127.0.0.1", 0)) as nobody:
        port = nobody.getsockname()[1]
    faults = links.asked([f"http://localhost:{port}/", f"{address}/there"])
    assert list(faults) == [f"http://localhost:{port}/"] and "refused" in faults[f"http://localhost:{port}/"]


def test_a_check_that_fails_itself_is_no_answer(monkeypatch):
    monkeypatch.setattr(links.sys, "executable", "/bin/false")
    with pytest.raises(LabError, match="did not say of each address"):
        links.asked(["http://localhost:1/"])
