"""What may the notebook server on the reader's machine do, in case a cell's output is an attack on the reader?

Cells run in the guest, but a page of this server shows their outputs, with the reader's cookie. So it offers nothing
that runs code here: no terminal, no kernel but those in guests, no files but those in work/, none of which is run or
imported by the host. And the browser is told to run no script from an output (Content Security Policy, level 3):
JupyterLab's own are allowed by the addresses that they come from.
"""

import base64
import hashlib
import os
import re
import sys
from pathlib import Path

from jupyter_client.kernelspec import NoSuchKernel
from jupyter_server.services.kernels.kernelmanager import AsyncMappingKernelManager
from jupyterlab.commands import get_app_dir

# What would run something on this machine: terminals, language servers, and jupytext, which reads configuration, some
# of it Python, from the folder of the notebooks.
NO_SERVER_EXTENSIONS = {"jupyter_server_terminals": False, "jupyter_lsp": False, "jupytext": False}
# Their counterparts in the browser; the one that evaluates JavaScript of an output; and the one that asks each new
# user whether to fetch news from another host.
NO_LAB_EXTENSIONS = dict.fromkeys(
    [
        "@jupyterlab/terminal-extension",
        "@jupyterlab/javascript-extension",
        "@jupyterlab/lsp-extension",
        "@jupyterlab/fileeditor-extension:language-server",
        "@jupyterlab/notebook-extension:language-server",
        "jupyterlab-jupytext",
        "@jupyterlab/apputils-extension:announcements",
    ],
    True,
)
SCRIPT = re.compile(rb"<script>(.*?)</script>", re.DOTALL)


class GuestKernels(AsyncMappingKernelManager):
    """Starts the kernels in `allowed_kernelspecs` only. Jupyter's own class hides the others, and would still start the
    host's Python if a request names it. A refusal later than here would keep the server from ending."""

    def pre_start_kernel(self, kernel_name, kwargs):
        if (kernel_name or self.default_kernel_name) not in self.kernel_spec_manager.find_kernel_specs():
            raise NoSuchKernel(kernel_name)
        return super().pre_start_kernel(kernel_name, kwargs)


def command(address: str, port: int, browser: bool, opened: Path, kernels: list[str]) -> list[str]:
    """JupyterLab's command line: it offers these kernels and the files beside the notebook `opened`."""
    return [
        sys.executable,
        "-P",
        "-m",
        "jupyterlab",
        f"--ServerApp.ip={address}",
        # Whatever it listens on, a browser has to ask for 127.0.0.1 or localhost: no other site's name leads here then,
        # even if that site's owner has it mean our address.
        "--ServerApp.allow_remote_access=False",
        f"--ServerApp.port={port}",
        "--ServerApp.port_retries=0",
        f"--ServerApp.root_dir={opened.parent}",
        f"--LabApp.default_url=/lab/tree/{opened.name}",
        "--ServerApp.terminals_enabled=False",
        f"--ServerApp.jpserver_extensions={NO_SERVER_EXTENSIONS}",
        "--ServerApp.contents_manager_class=jupyter_server.services.contents.largefilemanager.AsyncLargeFileManager",
        f"--ServerApp.kernel_manager_class={__name__}.GuestKernels",
        # Unix sockets in a folder of this user's. To a port anybody on this machine may connect, and is then sent what
        # each cell prints: the key is for those who send something.
        "--KernelManager.transport=ipc",
        "--KernelSpecManager.ensure_native_kernel=False",
        *(f"--KernelSpecManager.allowed_kernelspecs={name}" for name in kernels),
        f"--ServerApp.tornado_settings={ {'headers': {'Content-Security-Policy': policy(port)}} }",
        # Nothing is asked of other hosts, and Ctrl-C needs no second one.
        "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
        "--LabApp.extension_manager=readonly",
        "--ServerApp.answer_yes=True",
        "--log-level=WARN",
        # A chapter's own machine may have to be made when its kernel is first asked for.
        "--MappingKernelManager.kernel_info_timeout=900",
        "--MappingKernelManager.default_kernel_name=lab-vm",
        *([] if browser else ["--no-browser"]),
        *(["--allow-root"] if os.getuid() == 0 else []),
    ]


def policy(port: int) -> str:
    """The Content Security Policy of every page. JupyterLab needs 'unsafe-eval' to check its settings: a script that
    runs may make code of text, and no other starts by that. Files (/files/) are in a sandbox besides, by Jupyter."""
    ours = [f"http://{host}:{port}" for host in ("127.0.0.1", "localhost")]
    scripts = [f"{origin}{path}" for origin in ours for path in ("/static/", "/lab/extensions/")]
    return "; ".join(
        [
            "default-src 'self'",
            f"script-src {' '.join([*scripts, *_inline()])} 'unsafe-eval'",
            "style-src 'self' 'unsafe-inline'",
            "img-src 'self' data: blob:",
            "font-src 'self' data:",
            f"connect-src 'self' {' '.join(origin.replace('http', 'ws') for origin in ours)}",
            "worker-src 'self' blob:",
            "frame-src 'none'",
            "object-src 'none'",
            "base-uri 'none'",
            "form-action 'self'",
            "frame-ancestors 'self'",
        ]
    )


def _inline() -> list[str]:
    """The hashes of the scripts inside JupyterLab's page; there is one, which takes the token out of the address."""
    page = (Path(get_app_dir()) / "static" / "index.html").read_bytes()
    return [f"'sha256-{base64.b64encode(hashlib.sha256(script).digest()).decode()}'" for script in SCRIPT.findall(page)]
