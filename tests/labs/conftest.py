"""What only the guest has: stand-ins for Mininet and Scapy, so that what measures there can be imported here."""

import sys
from importlib.machinery import ModuleSpec
from types import ModuleType

import pytest


class StandIn(ModuleType):
    """A module of which whatever is imported is a class without anything."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return type(name, (), {})


class OfTheGuest:
    """Finds each module of these packages, and loads a stand-in."""

    def find_spec(self, name, path=None, target=None):
        return ModuleSpec(name, self, is_package=True) if name.split(".")[0] in ("mininet", "scapy") else None

    def create_module(self, spec):
        return StandIn(spec.name)

    def exec_module(self, module):
        pass


@pytest.fixture
def guests_packages(monkeypatch):
    """Modules of labs/ that measure can be imported in the test."""
    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path, OfTheGuest()])
