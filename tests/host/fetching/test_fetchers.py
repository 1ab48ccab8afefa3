"""Behind a company's proxy, does `./lab doctor` say what each of the four fetchers lacks, and is it content once that
is set? The proxy is a real one, with a certificate of its own, in a network with no other way out; see company.py."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from host import store
from host.paths import FETCHING, REPOSITORY
from host.tab import node

COMPANY = Path(__file__).with_name("company.py")
PROXY = "http://127.0.0.1:3128"
PROXIES = {"http_proxy": PROXY, "https_proxy": PROXY}
FOUR = ["apt", "mmdebstrap", "pip", "npm"]
DEADLINE_S = 600  # for what takes a second on a quiet machine
PATIENT = {"LAB_PATIENCE_S": "120"}  # of the fetchers: on a busy machine they, and the proxy, may take seconds
IMPATIENT = {"LAB_PATIENCE_S": "2"}  # where there is nothing to wait for


@pytest.fixture
def home(tmp_path):
    """A home with the lab's cache; npm of the lab's own is in it, because a machine needs none."""
    cache = tmp_path / "cache" / "where-packets-wait"
    cache.mkdir(parents=True)
    wheel = node.node().parents[2]
    (cache / wheel.name).symlink_to(wheel)
    return tmp_path


def has_environment(home) -> None:
    """Give this home the Python environment that we run in."""
    ours = Path(sys.prefix)
    (home / "cache" / "where-packets-wait" / ours.name).symlink_to(ours)


def in_company(home, *command, rule="open", **variables) -> subprocess.CompletedProcess:
    """Run a command of this user's, with little set but these variables."""
    ours = {"PATH": os.environ["PATH"], "HOME": str(home), "XDG_CACHE_HOME": str(home / "cache")}
    words = [sys.executable, COMPANY, home, rule, *command]
    return subprocess.run(
        words, env={**ours, **PATIENT, **variables}, capture_output=True, text=True, timeout=DEADLINE_S
    )


def doctor(home, rule="open", **variables) -> tuple[int, dict[str, dict]]:
    """The status of `./lab doctor`, and what it finds of the four."""
    called = in_company(home, REPOSITORY / "lab", "doctor", "--json", rule=rule, **variables)
    findings = {finding["what"]: finding for finding in json.loads(called.stdout)["findings"]}
    return called.returncode, {name: findings[name] for name in FOUR}


def test_four_settings_are_named_before_there_is_an_environment(home):
    status, found = doctor(home)
    assert status == 3 and not any(finding["good"] for finding in found.values())
    assert all("not resolved" in finding["found"] for finding in found.values())
    for name, settings in {
        "apt": ["http_proxy="],
        "mmdebstrap": ["http_proxy="],
        "pip": ["https_proxy=", "PIP_CERT="],
        "npm": ["https_proxy=", "NODE_EXTRA_CA_CERTS="],
    }.items():
        assert all(setting in found[name]["mend"] for setting in settings), found[name]
    assert not list(home.glob("cache/*/environment*"))


def test_a_person_reads_the_same(home):
    said = in_company(home, REPOSITORY / "lab", "doctor").stdout.splitlines()
    assert [line[:5] for line in said] == ["LACK ", "     "] * 4
    assert [line.split()[1] for line in said[::2]] == [f"{name}:" for name in FOUR]
    assert all(line.startswith("      Next: export ") for line in said[1::2])


def test_a_certificate_that_only_the_company_knows_is_named(home):
    status, found = doctor(home, **PROXIES)
    assert status == 3 and [finding["good"] for finding in found.values()] == [True, True, False, False]
    assert "issuer pip does not know" in found["pip"]["found"] and "issuer npm does not know" in found["npm"]["found"]
    assert found["pip"]["mend"].startswith("export PIP_CERT=")
    assert found["npm"]["mend"].startswith("export NODE_EXTRA_CA_CERTS=")


@pytest.mark.parametrize(
    "settings",
    [{**PROXIES, "PIP_CERT": "ISSUER"}, {"HTTP_PROXY": PROXY, "HTTPS_PROXY": PROXY, "SSL_CERT_FILE": "ISSUER"}],
    ids=["what npm lacks is taken from pip's", "by the names that most programs know"],
)
def test_with_what_it_names_it_is_content(home, settings):
    has_environment(home)
    _, found = doctor(home, **{name: value.replace("ISSUER", f"{home}/issuer.pem") for name, value in settings.items()})
    assert [(finding["good"], finding["found"]) for finding in found.values()] == [(True, "reached")] * 4


def test_a_proxy_that_asks_for_a_password_is_named_without_it(home):
    wrong = dict.fromkeys(PROXIES, "http://name:wrong-word@127.0.0.1:3128")
    status, found = doctor(home, rule="password", **wrong)
    assert status == 3 and all("(407)" in finding["found"] for finding in found.values()), found
    assert all(finding["mend"].endswith("NAME:PASSWORD@127.0.0.1:3128") for finding in found.values())
    assert "wrong-word" not in json.dumps(found)


@pytest.mark.part("machinery", why="the base has the same without a password")
def test_with_the_password_it_is_content(home):
    has_environment(home)
    right = dict.fromkeys(PROXIES, "http://name:secret-word@127.0.0.1:3128")
    _, found = doctor(home, rule="password", PIP_CERT=f"{home}/issuer.pem", **right)
    assert [finding["found"] for finding in found.values()] == ["reached"] * 4


@pytest.mark.parametrize(
    "rule, proxy, patience, said",
    [("silent", PROXY, IMPATIENT, "no answer in time"), ("open", "http://127.0.0.1:9", PATIENT, "is refused")],
    ids=["silent", "refused"],
)
def test_a_proxy_that_does_not_answer_is_named(home, rule, proxy, patience, said):
    status, found = doctor(home, rule=rule, http_proxy=proxy, https_proxy=proxy, **patience)
    assert status == 3 and all(said in finding["found"] for finding in found.values()), found
    assert all(f"(now it is {proxy})" in finding["mend"] for finding in found.values())


def test_apts_own_proxy_is_mmdebstraps_too_and_nobody_elses(home):
    (home / "apt.conf").write_text(f'Acquire::http::Proxy "{PROXY}";\n')
    asked = ["sh", FETCHING / "doctor.sh", sys.executable, home / "cache" / "where-packets-wait"]
    said = in_company(home, *asked, APT_CONFIG=str(home / "apt.conf")).stdout.splitlines()
    assert [line.split("\t")[0] for line in said] == ["ok", "ok", "LACK", "LACK"], said


def image(folder: Path) -> None:
    """As much of one as doctor looks at."""
    for name in ("disk.squashfs", "release"):
        (folder / name).write_text("6.99.1-amd64\n")
    (folder / "packages").write_text("linux-image-6.99.1-amd64 6.99.1-1\n")


@pytest.mark.part("machinery", why="the base has the same before there is an environment")
def test_who_is_off_the_network_and_lacks_nothing_is_told_so(home, monkeypatch):
    """A machine that was made ready beforehand, as for a workshop."""
    has_environment(home)
    monkeypatch.setenv("XDG_CACHE_HOME", str(home / "cache"))
    store.build_once("image", "0" * 16, image)
    _, found = doctor(home)
    assert all(finding["good"] and "not resolved" in finding["found"] for finding in found.values())
