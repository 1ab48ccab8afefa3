"""Does an image that is made for Podman and the Docker of today have the list that an older Docker reads, of the very
same files? Made, loaded and started, it is tried by `.ci/container`."""

import hashlib
import json
import tarfile

import pytest

from host.bundle import container, write
from host.errors import LabError
from host.notebook import jupyter


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


def test_the_index_has_the_name_by_which_docker_runs_it(layout, tmp_path):
    container._packed(layout, tmp_path / "image.tar")
    with tarfile.open(tmp_path / "image.tar") as packed:
        index, listed = (json.load(packed.extractfile(name)) for name in (container.INDEX, container.DOCKERS_LIST))
    assert index["manifests"][0]["annotations"]["io.containerd.image.name"].endswith("/where-packets-wait:latest")
    assert listed == [container.dockers_list(layout)]


@pytest.fixture
def bundle(tmp_path):
    """A bundle of one file, of this commit."""
    (tmp_path / "thing").mkdir()
    (tmp_path / "thing/file").touch()
    write.pack([tmp_path / "thing"], tmp_path / "bundle")
    return tmp_path / "bundle"


def test_a_bundle_of_this_commit_is_taken(bundle):
    container._need_the_same_commit(bundle)


@pytest.mark.parametrize("content, said", [(b"", "not what"), (b"x" * 5000, "not what"), (None, "not of this commit")])
def test_what_would_lack_something_is_refused(bundle, monkeypatch, tmp_path, content, said):
    """A container that nothing can be fetched into does not start from it."""
    if content is None:
        monkeypatch.setattr(write, "_commit", lambda: "0" * 40)
        write.pack([tmp_path / "thing"], bundle)
    else:
        bundle.write_bytes(content)
    with pytest.raises(LabError, match=said) as error:
        container._need_the_same_commit(bundle)
    assert error.value.next.startswith("./lab bundle")


@pytest.mark.parametrize("inside", [True, False])
def test_all_addresses_are_listened_on_in_a_container_alone(monkeypatch, inside):
    name, _, value = container.SETTINGS["env"].partition("=")
    monkeypatch.setenv(name, value)
    monkeypatch.setattr(jupyter.namespaces, "in_container", lambda: inside)
    if inside:
        assert jupyter.address() == "0.0.0.0"
    else:
        with pytest.raises(LabError, match="no container"):
            jupyter.address()
    monkeypatch.delenv(name)
    assert jupyter.address() == "127.0.0.1"
