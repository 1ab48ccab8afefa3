"""Are the wheels of a bundle those that pip will ask for, with each Python?"""

import pytest

from host.bundle import wheels

TEXT = """# made by a program
both==1.0 \\
    --hash=sha256:aa \\
    --hash=sha256:ab
    # via another
old==2.0 ; python_full_version < '3.11.5' \\
    --hash=sha256:ba
new==3.0 ; python_full_version >= '3.11.5' \\
    --hash=sha256:ca
foreign==4.0 ; sys_platform == 'win32' \\
    --hash=sha256:da
"""


@pytest.mark.parametrize("python, expected", [("3.11.2", "old==2.0"), ("3.13.5", "new==3.0")])
def test_a_condition_is_that_of_the_python_that_is_told(tmp_path, monkeypatch, python, expected):
    (tmp_path / "requirements.txt").write_text(TEXT)
    monkeypatch.setattr(wheels, "REQUIREMENTS", tmp_path / "requirements.txt")
    both, other = wheels.of(python).splitlines()
    assert both.split() == ["both==1.0", "--hash=sha256:aa", "--hash=sha256:ab"] and other.startswith(expected)


def test_each_of_the_book_s_requirements_is_for_some_python():
    asked = "\n".join(map(wheels.of, wheels.DEBIANS))
    assert asked.count("soupsieve==") == 2 and "colorama" not in asked and ";" not in asked
