"""Does each line know its room? Imports of core/, host/, labs/ and book/_ext against tests/rooms.toml."""

import ast
import tomllib
from collections import Counter
from graphlib import CycleError, TopologicalSorter
from pathlib import PurePosixPath

import pytest

from host.paths import REPOSITORY

MOST_FILES = 15  # in a folder, beside its subfolders
RULES = tomllib.loads((REPOSITORY / "tests/rooms.toml").read_text())
NONE = "no room"
AMONG = ("core", "host", "labs", "book", "tests")  # packages of this repository


def sources() -> dict[str, str]:
    """By dotted name the text of each module that is ours, without the programs that readers are given."""
    files = (file for top in ("core", "host", "labs", "book/_ext") for file in (REPOSITORY / top).rglob("*.py"))
    return {
        ".".join(file.relative_to(REPOSITORY).with_suffix("").parts): file.read_text()
        for file in files
        if "exercises" not in file.parts or "cases" not in file.parts
    }


def imports(texts: dict[str, str]) -> dict[str, set[str]]:
    """By module what it imports of this repository, wherever in it."""
    found = {}
    for module, text in texts.items():
        found[module] = set()
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Import):
                names = [(alias.name, alias.name) for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                names = [(f"{node.module}.{alias.name}", node.module) for alias in node.names]
            else:
                continue
            found[module].update(
                whole if whole in texts else rest for whole, rest in names if rest.partition(".")[0] in AMONG
            )
    return found


def room(module: str) -> str:
    """ "vm" of host.vm.ssh, "low" of host.paths; NONE of a module that the rules do not have."""
    top, inside, *below = module.split(".")
    if below:
        return inside
    return next((name for name, rule in RULES[top].items() if inside in rule.get("modules", ())), NONE)


def broken(known: dict[str, set[str]]) -> list[str]:
    """The imports that the rules forbid, each with why."""
    said = []
    for module, others in known.items():
        for other in others:
            top, its = module.partition(".")[0], other.partition(".")[0]
            if top == "book":
                wrong = its not in ("book", "core") and "an extension of the book knows nothing of the lab"
            elif (top, other) == ("host", "book._ext.kernel_source"):
                wrong = room(module) != "site" and "only the site reads the book"
            elif (top, its) in (("host", "core"), ("labs", "core")):
                wrong = ""
            elif top == "core" != its:
                wrong = "the core knows neither side"
            elif top != its:
                wrong = "host and guest do not mix"
            elif module.startswith("labs.cases.") and other.startswith("labs.cases."):
                wrong = module.split(".")[2] != other.split(".")[2] and "no case knows another"
            else:
                here, there = room(module), room(other)
                wrong = (
                    NONE in (here, there)
                    or here != there
                    and there not in RULES[top][here]["knows"]
                    and f"{here} does not know {there}"
                )
            if wrong:
                said.append(f"{module} imports {other}: {wrong}")
    try:
        TopologicalSorter(known).prepare()
    except CycleError as error:
        said.append(f"a circle: {' < '.join(error.args[1])}")
    return said


def named(texts: dict[str, str]) -> list[str]:
    """Modules of core/, host/ and labs/ without their packages' own __init__."""
    return [name for name in texts if not name.endswith("__init__") and not name.startswith("book")]


def test_each_import_is_one_that_the_rooms_allow():
    assert broken(imports(sources())) == []


def test_each_module_has_a_room_and_each_room_modules():
    rooms = {top: {room(name) for name in named(sources()) if name.startswith(top)} for top in RULES}
    assert rooms == {top: set(rules) for top, rules in RULES.items()}


def test_a_room_knows_only_those_above_it():
    for rules in RULES.values():
        above = set()
        for name, rule in rules.items():
            assert set(rule["knows"]) <= above
            above.add(name)


@pytest.mark.parametrize(
    "module, line, why",
    [
        ("host.store", "from labs import table", "host and guest do not mix"),
        ("labs.table", "import host.paths", "host and guest do not mix"),
        ("core.cases", "from host import paths", "the core knows neither side"),
        ("core.cases", "from labs import case", "the core knows neither side"),
        ("labs.cases.frag_needed.case", "from labs.cases.splice_push import case", "no case knows another"),
        ("labs.trace.flame", "from labs.take import script", "trace does not know take"),
        ("host.vm.serving", "def f():\n    from host.exercises import progress", "vm does not know exercises"),
        ("host.paths", "from host.vm import ssh", "low does not know vm"),
        ("core.wire.packet", "from core.draw import ladder", "wire does not know draw"),
        ("core.draw.ladder_svg", "from core.draw import ladder", "a circle"),
        ("host.vm.ssh", "from book._ext import kernel_source", "only the site reads the book"),
        ("book._ext.recorded", "from labs.trace import stacks", "knows nothing of the lab"),
    ],
)
def test_a_line_that_breaks_a_rule_is_named(module, line, why):
    texts = sources()
    texts[module] += f"\n{line}\n"
    assert any(why in each for each in broken(imports(texts)))


def test_no_folder_has_grown_flat():
    files = [
        PurePosixPath(file.relative_to(REPOSITORY).as_posix())
        for top in ("core", "host", "labs")
        for file in (REPOSITORY / top).rglob("*")
        if file.is_file() and "__pycache__" not in file.parts
    ]
    counted = Counter(file.parent for file in files if "cases" not in file.parts)
    assert {str(folder): number for folder, number in counted.items() if number > MOST_FILES} == {}
