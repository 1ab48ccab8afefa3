"""Does `./lab doctor` say on which system this is, and whether the labs are tried there?"""

import platform

import pytest

from host import doctor


@pytest.mark.parametrize(
    "release, said",
    [
        ({"ID": "debian", "VERSION_ID": "13", "PRETTY_NAME": "Debian GNU/Linux 13 (trixie)"}, "tried there"),
        ({"ID": "debian", "VERSION_ID": "11", "PRETTY_NAME": "Debian GNU/Linux 11"}, "tried on Debian 12 and 13 only"),
        ({"ID": "other", "VERSION_ID": "12", "PRETTY_NAME": "Other 12"}, "Other 12; the labs are tried on Debian"),
    ],
)
def test_the_release_is_named(monkeypatch, release, said):
    monkeypatch.setattr(platform, "freedesktop_os_release", lambda: release)
    finding = doctor._system()
    assert finding.good and said in finding.found


def test_a_system_without_a_name_is_no_traceback(monkeypatch):
    def none():
        raise OSError("no os-release")

    monkeypatch.setattr(platform, "freedesktop_os_release", none)
    assert "no name; the labs are tried on" in doctor._system().found
