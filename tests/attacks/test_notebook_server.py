"""Can a cell's output act on the reader's machine, through the notebook server that shows it?

Cells run in the guest, their outputs are shown by a page of this server, with the reader's cookie. Before there was a
wall, the script of the first test opened a terminal of the server and ran a command as the reader. No guest is needed:
`lab-vm` is here a kernel of this machine's, and the server is what `./lab start` becomes.
"""

import contextlib
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request
from dataclasses import dataclass
from pathlib import Path

import nbformat
import pytest

from core.waiting import poll
from host.paths import REPOSITORY

pytestmark = pytest.mark.xdist_group("notebook-server")  # one server for all
SLOW_S = 120  # JupyterLab in a browser, on two busy cores
START = """
import json, sys
from pathlib import Path
from host.notebook import jupyter
from host.vm import image, guests

def kernelspecs(folder):
    folder = folder / "kernels" / "lab-vm"
    folder.mkdir(parents=True, exist_ok=True)
    argv = [sys.executable, "-P", "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    (folder / "kernel.json").write_text(json.dumps({"argv": argv, "display_name": "Stand-in", "language": "python"}))

image.need = guests.up = lambda *words: None
jupyter.WORK, jupyter.kernelspecs, jupyter.address = Path(sys.argv[1]), kernelspecs, lambda: sys.argv[2]
jupyter.start("frag-needed", int(sys.argv[3]), False)
"""
# Each way in which an output can bring a script notes that it ran; the first also does what it is after: it opens a
# terminal of the server's and has it make MARKER.
ATTACK = """
from IPython.display import HTML, Javascript, display
script = '''(async () => {
  document.body.dataset.script = 'ran';
  const token = document.cookie.match(/_xsrf=([^;]*)/);
  const answer = await fetch('/api/terminals', {method: 'POST', headers: {'X-XSRFToken': token ? token[1] : ''}});
  const terminal = await answer.json();
  const channel = new WebSocket('ws://' + location.host + '/terminals/websocket/' + terminal.name);
  channel.onopen = () => setTimeout(() => channel.send(JSON.stringify(['stdin', 'touch MARKER\\\\n'])), 1000);
})()'''
display(HTML('<script>' + script + '</script>'))
display(HTML('<script src="/files/attack.js"></script>'))
display(HTML('<img src="none" onerror="document.body.dataset.handler = 1">'))
display(HTML('<iframe srcdoc="<script>parent.document.body.dataset.frame = 1</script>"></iframe>'))
display(HTML('<iframe src="/files/attack.html"></iframe>'))
display(Javascript('document.body.dataset.javascript = 1'))
print('shown', 'all')
"""
WAYS = ["script", "file", "handler", "frame", "page", "javascript"]


@dataclass
class Server:
    """JupyterLab as `./lab start` runs it, on the files in `work`."""

    url: str
    work: Path
    process: subprocess.Popen
    run: Path
    token: str = "only-of-this-test"

    def answers(self) -> bool:
        with contextlib.suppress(urllib.error.URLError, ConnectionError):
            return self.ask("GET", "/api/status")[0] == 200
        return False

    def ask(self, method: str, path: str, body: dict | None = None) -> tuple[int, object]:
        """The status and the answer (None for an error) of a call with the token, which a script in the page needs not:
        it has the cookie."""
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data, {"Authorization": f"token {self.token}"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return answer.status, json.loads(answer.read() or "null")
        except urllib.error.HTTPError as error:
            return error.code, None


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    home = tmp_path_factory.mktemp("home")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    ours = {name: value for name, value in os.environ.items() if not name.startswith(("JUPYTER", "XDG_"))}
    run = tempfile.mkdtemp(prefix="packets-test-", dir="/tmp")  # short, for unix sockets
    ours |= {"HOME": str(home), "PYTHONPATH": str(REPOSITORY), "JUPYTER_TOKEN": Server.token, "LAB_RUN_DIR": run}
    process = subprocess.Popen([sys.executable, "-P", "-c", START, home / "work", "127.0.0.1", str(port)], env=ours)
    try:
        server = Server(f"http://127.0.0.1:{port}", home / "work", process, Path(run))
        assert poll(lambda: server.answers() or process.poll() is not None, SLOW_S, 0.1) and process.poll() is None
        yield server
    finally:
        process.terminate()
        try:
            process.wait(60)
        finally:
            process.kill()
            shutil.rmtree(run)


@contextlib.contextmanager
def opened(server, name: str, policy: bool = True):
    """The page of this notebook in Chromium, and what its console said."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page(bypass_csp=not policy, viewport={"width": 1280, "height": 900})
        page.set_default_timeout(SLOW_S * 1000)
        said = []
        page.on("console", lambda message: said.append(message.text))
        page.goto(f"{server.url}/lab/tree/{name}?token={server.token}")
        page.locator(".jp-NotebookPanel .jp-CodeCell .cm-content").first.wait_for()
        page.get_by_text("Stand-in | Idle").wait_for()
        yield page, said
        browser.close()


@pytest.fixture
def marker(server, tmp_path):
    """What the attack would write on this machine; attack.ipynb is there."""
    marker = tmp_path / "written-on-the-host"
    cell = nbformat.v4.new_code_cell(ATTACK.strip().replace("MARKER", str(marker)))
    kernel = {"name": "lab-vm", "display_name": "Stand-in", "language": "python"}
    notebook = nbformat.v4.new_notebook(cells=[cell], metadata={"kernelspec": kernel})
    nbformat.write(notebook, server.work / "attack.ipynb")
    (server.work / "attack.js").write_text("document.body.dataset.file = 1")
    (server.work / "attack.html").write_text("<script>parent.document.body.dataset.page = 1</script>")
    return marker


@pytest.mark.parametrize("policy", [True, False], ids=["with-the-policy", "without-it"])
def test_a_script_that_a_cell_displays_gets_nothing(server, marker, policy):
    """A browser that is told to ignore the policy runs it; then there is still nothing that it could use."""
    with opened(server, "attack.ipynb", policy) as (page, _):
        page.get_by_role("menuitem", name="Run", exact=True).click()
        page.get_by_role("menuitem", name="Run All Cells", exact=True).click()
        page.locator(".jp-OutputArea-output", has_text="shown all").wait_for()
        page.wait_for_timeout(3000)  # a second after it ran, the script writes the file
        ran = [way for way in WAYS if page.evaluate(f"document.body.dataset.{way}")]
    assert not marker.exists()
    assert (not ran) if policy else ({"script", "file", "handler", "frame"} <= set(ran))


def test_the_notebooks_own_pictures_are_shown(server):
    recorded = REPOSITORY / "notebooks" / "frag-needed.ipynb"
    shutil.copy(recorded, server.work / "recorded.ipynb")
    assert server.ask("POST", "/api/contents/recorded.ipynb/trust")[0] == 201
    with opened(server, "recorded.ipynb") as (page, said):
        pictures = page.locator(".jp-RenderedHTMLCommon figure svg, .jp-RenderedSVG, .jp-RenderedImage img")
        pictures.first.wait_for(state="attached")
        pictures.first.scroll_into_view_if_needed()
        assert pictures.first.bounding_box()["height"] > 100
    assert not [line for line in said if "Content Security Policy" in line]


def test_there_is_no_terminal(server):
    assert server.ask("POST", "/api/terminals")[0] == 404


def test_there_is_no_kernel_of_the_hosts(server):
    _, specs = server.ask("GET", "/api/kernelspecs")
    assert list(specs["kernelspecs"]) == ["lab-vm"]
    assert server.ask("POST", "/api/kernels", {"name": "python3"})[0] >= 400


@pytest.mark.parametrize("path", ["host/cli.py", "../lab", "..%2Flab", ".jupytext.py", "frag-needed/../../lab"])
def test_files_outside_work_and_hidden_ones_are_neither_read_nor_written(server, path):
    (server.work.parent / "lab").write_text("as it was")
    assert server.ask("GET", f"/api/contents/{path}")[0] >= 400
    assert server.ask("PUT", f"/api/contents/{path}", {"type": "file", "format": "text", "content": ""})[0] >= 400
    assert (server.work.parent / "lab").read_text() == "as it was"


def test_nothing_that_is_written_there_is_run_as_configuration(server):
    """Jupyter runs jupyter_server_config.py of the folder that it is started in."""
    text = {"type": "file", "format": "text", "content": "never run"}
    assert server.ask("PUT", "/api/contents/jupyter_server_config.py", text)[0] == 201
    assert Path(f"/proc/{server.process.pid}/cwd").resolve() not in (server.work, REPOSITORY)


ANOTHER = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"]
CONNECT = """
import socket, sys
kind, address = sys.argv[1:]
try:
    if kind == "tcp":
        host, port = address.split(":")
        socket.create_connection((host, int(port)), 10)
    else:
        socket.socket(socket.AF_UNIX).connect(address)
    print("connected")
except PermissionError:
    print("refused")
"""


def connects(address: tuple[str, str], *account: str) -> str:
    """What a plain program of this machine's that connects there says, run by that account."""
    words = [*account, "/usr/bin/python3", "-I", "-c", CONNECT, *address]
    return subprocess.run(words, capture_output=True, text=True, cwd="/", timeout=60).stdout.strip()


@pytest.mark.skipif(os.getuid() != 0, reason="only root can be another account")
def test_another_account_of_this_machine_does_not_hear_what_a_cell_prints(server):
    """Whoever connects to a kernel's channel of outputs is sent them; its key is for those who send something."""
    status, kernel = server.ask("POST", "/api/kernels", {"name": "lab-vm"})
    assert status == 201
    (file,) = server.run.rglob(f"kernel-{kernel['id']}.json")
    connection = json.loads(file.read_text())
    between = {"tcp": ":", "ipc": "-"}[connection["transport"]]
    channels = [f"{connection['ip']}{between}{connection[f'{name}_port']}" for name in ("iopub", "shell", "control")]
    for channel in channels:
        assert poll(lambda: connects((connection["transport"], channel)) == "connected", SLOW_S, 0.1)
    assert [connects((connection["transport"], channel), *ANOTHER) for channel in channels] == ["refused"] * 3
    server.ask("DELETE", f"/api/kernels/{kernel['id']}")


# A network of its own, because the server listens on all addresses, as in a container.
EVERYWHERE = """
import http.client, os, subprocess, sys, time
subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
server = subprocess.Popen([sys.executable, "-P", "-c", sys.argv[1], sys.argv[2], "0.0.0.0", "8888"])
def status(host):
    asked = http.client.HTTPConnection("127.0.0.1", 8888, timeout=60)
    asked.request("GET", "/api/status", headers={"Host": host, "Authorization": "token " + os.environ["JUPYTER_TOKEN"]})
    return asked.getresponse().status
try:
    for _ in range(int(sys.argv[3])):
        try:
            print(*map(status, ("127.0.0.1:8888", "localhost:8888", "attacker.example:8888")))
            break
        except ConnectionRefusedError:
            assert server.poll() is None
            time.sleep(1)
finally:  # else the server would outlive what went wrong, and hide it: it holds the pipe that is read to its end
    server.terminate()
    server.wait()
"""


def test_another_sites_name_does_not_lead_to_it_in_a_container(tmp_path):
    """A page of attacker.example may have its own name mean 127.0.0.1, and then reads what it fetches from there."""
    run = tempfile.mkdtemp(prefix="packets-test-", dir="/tmp")  # short, for unix sockets
    ours = {name: value for name, value in os.environ.items() if not name.startswith(("JUPYTER", "XDG_"))}
    ours |= {"HOME": str(tmp_path), "PYTHONPATH": str(REPOSITORY), "JUPYTER_TOKEN": Server.token, "LAB_RUN_DIR": run}
    words = [sys.executable, "-P", "-c", EVERYWHERE, START, tmp_path / "work", str(SLOW_S)]
    done = subprocess.run(
        ["unshare", "--map-root-user", "--net", *words], env=ours, capture_output=True, text=True, timeout=3 * SLOW_S
    )
    shutil.rmtree(run, ignore_errors=True)
    assert done.stdout.split() == ["200", "200", "403"], done.stderr
