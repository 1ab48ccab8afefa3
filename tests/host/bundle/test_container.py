"""Does an image that is made for Podman and the Docker of today have the list that an older Docker reads, of the very
same files? Made, loaded and started, it is tried by `.ci/container`."""

import hashlib
import json
from pathlib import Path

import pytest

from host.bundle import container
from host.errors import LabError


@pytest.fixture
def layout(tmp_path):
    """An image of one layer, as buildah writes it into a folder."""

    def blob(content: bytes) -> dict:
        digest = hashlib.sha256(content).hexdigest()
        file = tmp_path / "blobs/sha256" / digest
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
        return {"digest": f"sha256:{digest}"}

    manifest = {"config": blob(b'{"architecture": "amd64"}'), "layers": [blob(b"layer")]}
    (tmp_path / "index.json").write_text(json.dumps({"manifests": [blob(json.dumps(manifest).encode())]}))
    return tmp_path


def test_docker_s_list_leads_to_the_layer_and_the_configuration(layout):
    listed = container.dockers_list(layout)
    assert (layout / listed["Config"]).read_bytes() == b'{"architecture": "amd64"}'
    assert [(layout / layer).read_bytes() for layer in listed["Layers"]] == [b"layer"]
    assert listed["RepoTags"] == ["where-packets-wait:latest"]


@pytest.mark.parametrize("lacking", ["bundle", "there/image"])
def test_what_is_missing_is_named_before_anything_is_made(tmp_path, lacking):
    (tmp_path / "bundle").touch()
    with pytest.raises(LabError, match=lacking.partition("/")[0]) as error:
        container.write(tmp_path / ("none" if lacking == "bundle" else "bundle"), tmp_path / "there/image")
    assert error.value.next.startswith("./lab bundle" if lacking == "bundle" else "mkdir -p")


def test_the_lab_is_not_root_there_and_listens_for_its_port():
    settings = container.SETTINGS
    assert settings["user"] == "reader" and settings["port"] == "8888"
    assert json.loads(settings["entrypoint"])[-1] == "./lab" and Path(settings["workingdir"]).name == container.NAME
