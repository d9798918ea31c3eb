"""Recorded objects: JSON is read item by item, and gives what reading it as a whole gives."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import os
import tarfile
import zlib
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, strategies as st

from dradsl import recordings
from dradsl.recordings import RecordingError, documents_in, find_recordings, read_recording
from dradsl.text.json_values import json_values
from dradsl.values import limits

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

SLICE = {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice", "metadata": {"name": "a"}}
NODE = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "m"}}

plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
spaces = st.sampled_from([None, 1, "\t"])


@given(st.lists(plain, max_size=4), spaces)
def test_values_are_those_of_the_text(values: list[Any], indent: Any) -> None:
    text = "\n".join(json.dumps(value, indent=indent) for value in values)
    assert list(json_values(text, 9)) == values


@given(st.lists(st.sampled_from([SLICE, NODE]), max_size=5), st.permutations(range(4)), spaces)
def test_lists_are_handed_out_item_by_item(items: list[Any], order: list[int], indent: Any) -> None:
    fields = [("apiVersion", "v1"), ("kind", "List"), ("metadata", {}), ("items", items)]
    text = json.dumps(dict(fields[i] for i in order), indent=indent)
    assert list(documents_in(text.encode())) == items


@pytest.mark.parametrize("kind_first", [True, False])
def test_items_of_a_typed_list_get_its_kind(kind_first: bool) -> None:
    head = {"kind": "ResourceSliceList", "apiVersion": "resource.k8s.io/v1"}
    items = {"items": [{"metadata": {"name": "a"}}]}
    given_ = {**head, **items} if kind_first else {**items, **head}
    assert list(documents_in(json.dumps(given_).encode())) == [SLICE]


@given(st.data())
def test_text_that_ends_early_is_an_error(data: st.DataObject) -> None:
    text = json.dumps({"items": [SLICE, NODE], "kind": "List"})
    cut = data.draw(st.integers(1, len(text) - 1))
    with pytest.raises(RecordingError):
        list(documents_in(text[:cut].encode()))


def test_yaml_that_looks_like_json() -> None:
    assert list(documents_in(b"{kind: Node, apiVersion: v1, metadata: {name: m}}")) == [NODE]


def test_values_of_a_chart_may_be_templates() -> None:
    """A HelmRelease is an object, whatever its chart fills in; a template of a chart is none."""
    text = "apiVersion: {}\nkind: {}\nspec: {{values: {{name: '{{{{ .Release.Name }}}}'}}}}\n"
    release = text.format("helm.toolkit.fluxcd.io/v2", "HelmRelease")
    (found,) = documents_in(release.encode())
    assert found["kind"] == "HelmRelease"
    for group, kind in (("v1", "ConfigMap"), ("example.com/v1", "HelmRelease")):
        with pytest.raises(RecordingError, match="Helm template"):
            list(documents_in((release + "---\n" + text.format(group, kind)).encode()))


def test_a_kind_that_is_no_text_installs_nothing() -> None:
    """Braces make the file look like a template: then it is asked whether its objects install charts."""
    text = b"apiVersion: helm.toolkit.fluxcd.io/v2\nkind: [HelmRelease]\nmetadata: {name: '{{ .Release.Name }}'}\n"
    with pytest.raises(RecordingError, match="template"):
        list(documents_in(text))


@pytest.mark.parametrize("data", [b"5", b'"x"', b"[5]", b'{"kind": "Node"} 5'])
def test_what_is_no_object(data: bytes) -> None:
    with pytest.raises(RecordingError):
        list(documents_in(data))


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ('{"kind": "A"}\n---\n{"kind": "B"}\n', 2),
        ('---\n{"kind": "A"}\n--- # next\n\n{"kind": "B"}\n---\n', 2),
        ('{"kind": "A"}\r\n---\r\n{"kind": "B"}', 2),
        ('{"kind": "A"}\n---\nkind: B\n---\n{"kind": "C"}\n', 3),
        ('{"kind": "A"}\n---\n{kind: B}\n', 2),
        ('{"items": [{"kind": "A", "apiVersion": "v1"}]}\n---\nkind: B\n', 2),
    ],
)
def test_streams_of_json_documents(text: str, count: int) -> None:
    found = [one["kind"] for one in documents_in(text.encode()) if "kind" in one]
    assert found == ["A", "B", "C"][:count]


def test_what_breaks_in_a_stream_is_named_by_its_line() -> None:
    with pytest.raises(RecordingError, match="line 4: "):
        list(documents_in(b'{"kind": "A"}\n---\nkind: [\n'))


@pytest.mark.parametrize(
    "data", [b'{"a": "\xff"}', b"{\xff\xfe", b"[" * 100_000, b'{"a":' * 100_000]
)
def test_hostile_text(data: bytes) -> None:
    with pytest.raises(RecordingError):
        list(documents_in(data))


PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
}


@pytest.mark.parametrize("ending", PACKERS)
def test_packed_files(ending: str, tmp_path: Path) -> None:
    """Several members, as `cat` makes them, with padding; cut ones; rubbish behind."""
    pack = PACKERS[ending]
    path = tmp_path / f"a.json.{ending}"
    whole = pack(json.dumps(SLICE).encode()) + pack(b"\n" + json.dumps(NODE).encode())
    path.write_bytes(whole + b"\0" * 8)
    assert list(read_recording(path)) == [SLICE, NODE]
    for broken in (whole[:-7], whole + b"rubbish", whole[:20]):
        path.write_bytes(broken)
        with pytest.raises(RecordingError, match=r"a\.json\.\w+: "):
            list(read_recording(path))


@pytest.mark.parametrize("ending", PACKERS)
def test_what_unpacks_to_too_much(
    ending: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is given up as soon as it is too much; nobody unpacks the rest."""
    monkeypatch.setattr(recordings, "MAX_BYTES", 3 * 1024**2)
    path = tmp_path / f"a.json.{ending}"
    path.write_bytes(PACKERS[ending](b" " * 40 * 1024**2))
    with pytest.raises(RecordingError, match=r"unpacks to (\d+) bytes or more") as caught:
        list(read_recording(path))
    assert int(str(caught.value).split("unpacks to ")[1].split()[0]) < 5 * 1024**2


def test_xz_asks_for_little_memory(tmp_path: Path) -> None:
    """The header says how much it takes to unpack: here 4 GiB."""
    data = bytearray(lzma.compress(b"{}"))
    assert data[14:16] == b"\x21\x01"  # the filter and the size of what it is told
    data[16] = 40
    data[20:24] = zlib.crc32(data[12:20]).to_bytes(4, "little")
    path = tmp_path / "a.json.xz"
    path.write_bytes(data)
    with pytest.raises(RecordingError, match="Memory usage limit"):
        list(read_recording(path))


@pytest.mark.parametrize("pack", [bytes, *PACKERS.values()])
def test_archives_are_named_as_such(pack: Callable[[bytes], bytes], tmp_path: Path) -> None:
    """A dump that is sent around is often a packed tar archive: the message says what to do."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        archive.addfile(tarfile.TarInfo("slices.json"))
    path = tmp_path / "dump.json"
    path.write_bytes(pack(packed.getvalue()))
    with pytest.raises(RecordingError, match=r"dump\.json: is a tar archive; unpack it"):
        list(read_recording(path))


def test_zstd_is_named_as_such(tmp_path: Path) -> None:
    path = tmp_path / "a.json.zst"
    path.write_bytes(bytes.fromhex("28b52ffd0400190000") + b"{} ")
    assert list(find_recordings(tmp_path)) == [path]  # not left out in silence
    with pytest.raises(RecordingError, match=r"a\.json\.zst: is packed by zstd"):
        list(read_recording(path))


@pytest.mark.parametrize("text", [".json", ".yaml", ".yml"])
@pytest.mark.parametrize("ending", PACKERS)
def test_packed_files_of_a_folder(text: str, ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"a{text}.{ending}"
    path.write_bytes(PACKERS[ending](json.dumps(SLICE).encode()))
    assert list(find_recordings(tmp_path)) == [path]


def test_limits(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    with path.open("wb") as file:
        os.truncate(file.fileno(), recordings.MAX_BYTES + 1)
    with pytest.raises(RecordingError, match="the limit is 268435456"):
        list(read_recording(path))
    with path.open("wb") as file:
        file.write(b"\x1f\x8b")
        os.truncate(file.fileno(), recordings.MAX_PACKED_BYTES + 1)
    with pytest.raises(RecordingError, match="limit of packed files is 67108864"):
        list(read_recording(path))


def test_pipes_are_not_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    os.mkfifo(path)
    with pytest.raises(RecordingError, match="not a regular file"):
        list(read_recording(path))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_files(tmp_path: Path, encoding: str) -> None:
    text = f"\n{json.dumps([SLICE])}\n{json.dumps(NODE)}\n".encode(encoding)
    path = tmp_path / "a.json.gz"
    path.write_bytes(gzip.compress(text))
    assert list(read_recording(path)) == [SLICE, NODE]
    path.write_bytes(gzip.compress(text)[:-12])
    with pytest.raises(RecordingError, match=r"a\.json\.gz: "):
        list(read_recording(path))


def test_items_are_counted_while_they_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """What stands behind too many is not looked at."""
    monkeypatch.setattr(limits, "MOST_RECORDED", 5)
    with pytest.raises(RecordingError, match="holds more than 5 objects"):
        list(documents_in(b'{"items": [' + b"{}, " * 6 + b"no JSON"))
    assert len(list(documents_in(b'{"kind": "PodList", "items": [{}, {}, {}, {}]}'))) == 4
