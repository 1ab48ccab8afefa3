"""The notebook's kernel (Jupyter's, not Linux): ipykernel, with one argument, the text of Jupyter's connection file.

That file is on the host. What ipykernel would do besides, read a command line and look for configuration files
that the guest has not, takes a quarter of a second under emulation.
"""

import json
import sys

from ipykernel.kernelapp import IPKernelApp
from traitlets.config import Config


class Kernel(IPKernelApp):
    """The ipykernel of a notebook, with all settings from one argument and none from files."""

    def parse_command_line(self, argv=None) -> None:
        """Parse nothing, because there are no options."""

    def load_config_file(self, *_words: object, **_options: object) -> None:
        """Load nothing, because there is no such file."""

    def init_connection_file(self) -> None:
        """Read nothing, because the host has read the file."""

    def write_connection_file(self, **_options: object) -> None:
        """Tells the host, which has it, that every port is listened on."""
        print("listening", flush=True)

    def log_connection_info(self) -> None:
        """No advice on how to connect: that is for somebody who starts a kernel by hand."""


def configured(connection: dict) -> Config:
    """The connection, and how this one differs from others. Source: jupyter_client's documentation,
    "Making kernels", connection files."""
    ports = {name: value for name, value in connection.items() if name.endswith("_port")}
    return Config(
        {
            "IPKernelApp": {"transport": connection["transport"], "ip": connection["ip"], **ports},
            "Session": {"key": connection["key"].encode(), "signature_scheme": connection["signature_scheme"]},
            "HistoryManager": {"enabled": False},
            "ScriptMagics": {"script_magics": ["bash", "sh"]},  # each takes 10 ms, and there would be eight
        }
    )


if __name__ == "__main__":
    Kernel.launch_instance(config=configured(json.loads(sys.argv[1])))
