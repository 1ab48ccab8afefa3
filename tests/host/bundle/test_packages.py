"""Are a bundle's Debian packages all that are needed, also on a machine whose own are of another version?"""

import re

from host.bundle import packages
from tests.host.conftest import CONTROL


def test_what_a_package_depends_on_is_fetched_too_although_any_debian_has_it(archive_of, monkeypatch, tmp_path):
    """Compilers want the C library of their own point release, and a machine may have that of an older one."""
    depends = CONTROL.format("small", "1.0").rstrip("\n") + "\nDepends: libc6\n"
    archive_of(("small", "1.0", {"DEBIAN/control": depends.encode()}), ("libc6", "2.36", {}), ("other", "1.0", {}))
    monkeypatch.setattr(packages, "named", lambda: ["small"])
    packages._fetch(packages.SUITES[0], tmp_path)
    index = (tmp_path / "packages/Packages").read_text()
    assert sorted(re.findall("^Package: (.*)", index, re.MULTILINE)) == ["libc6", "small"]
    assert {path.suffix for path in (tmp_path / "packages").iterdir()} == {".deb", ""}
