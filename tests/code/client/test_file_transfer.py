"""Files that a client's calls name: read and written by the client itself."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pilothouse.code.client.file_transfer import call_with_files
from pilothouse.errors import PilothouseError
from pilothouse.paths import RuntimePaths


class _Daemon:
    """Answers with what it has, and remembers what it was asked."""

    def __init__(self, root: Path, answer: Any = None) -> None:
        self.paths = RuntimePaths(root)
        self.answer = answer
        self.asked: dict[str, Any] = {}

    def __call__(self, method: str, /, **params: Any) -> Any:
        self.asked = params
        return self.answer

    def do(self, method: str, **params: Any) -> Any:
        return call_with_files(self, self.paths, method, params)


def test_uploads_are_copied_into_the_daemons_folder(tmp_path: Path) -> None:
    daemon = _Daemon(tmp_path / "daemon")
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "same.txt").write_text(folder)
    daemon.do("tab.upload", paths=[str(tmp_path / "a/same.txt"), str(tmp_path / "b/same.txt")])
    copies = [Path(path) for path in daemon.asked["paths"]]
    assert [path.read_text() for path in copies] == ["a", "b"]
    assert {path.name for path in copies} == {"same.txt"}
    assert all(path.is_relative_to(daemon.paths.uploads) for path in copies)
    daemon.do("tab.upload", paths=str(tmp_path / "a/same.txt"))
    assert len(daemon.asked["paths"]) == 1


def test_a_file_that_is_not_there_is_told_and_leaves_no_copies(tmp_path: Path) -> None:
    daemon = _Daemon(tmp_path / "daemon")
    (tmp_path / "there.txt").write_text("x")
    with pytest.raises(PilothouseError, match=r"none\.txt: No such file") as failed:
        daemon.do("tab.upload", paths=[str(tmp_path / "there.txt"), str(tmp_path / "none.txt")])
    assert failed.value.hint
    assert list(daemon.paths.uploads.iterdir()) == []
    assert daemon.asked == {}


def test_states_and_pictures_are_written_where_the_caller_says(tmp_path: Path) -> None:
    state = tmp_path / "state.json"
    daemon = _Daemon(tmp_path / "daemon", {"cookies": []})
    assert daemon.do("tab.save_state", path=str(state)) == {"path": str(state)}
    assert daemon.asked == {"path": ""}
    assert json.loads(state.read_text()) == {"cookies": []}
    daemon.do("tab.load_state", state=str(state))
    assert daemon.asked == {"state": {"cookies": []}}
    daemon = _Daemon(tmp_path / "daemon", {"data": "aGk=", "mime": "image/png"})
    shot = tmp_path / "shot.png"
    assert daemon.do("tab.screenshot", save=str(shot))["path"] == str(shot)
    assert shot.read_bytes() == b"hi"
    assert daemon.asked == {"save": "", "format": "png"}


def test_what_names_no_file_goes_as_it_is(tmp_path: Path) -> None:
    daemon = _Daemon(tmp_path, "done")
    assert daemon.do("tab.load_state", state={"cookies": []}) == "done"
    assert daemon.do("tab.save_state", path="") == "done"
    assert daemon.do("tab.click", target="e1") == "done"
    assert daemon.asked == {"target": "e1"}


@pytest.mark.parametrize(("content", "why"), [(None, "No such file"), ("{", "Expecting property")])
def test_a_state_that_cannot_be_read_is_told(tmp_path: Path, content: str | None, why: str) -> None:
    file = tmp_path / "state.json"
    if content is not None:
        file.write_text(content)
    with pytest.raises(PilothouseError, match=why):
        _Daemon(tmp_path).do("tab.load_state", state=str(file))
    with pytest.raises(PilothouseError, match="Is a directory"):
        _Daemon(tmp_path, {}).do("tab.save_state", path=str(tmp_path))


def test_files_for_a_tool_are_copied_too(tmp_path: Path) -> None:
    daemon = _Daemon(tmp_path / "daemon")
    (tmp_path / "a.txt").write_text("a")
    given = {"ref": "e1", "paths": str(tmp_path / "a.txt")}
    daemon.do("tool", name="browser_upload", arguments=given)
    (copy,) = daemon.asked["arguments"]["paths"]
    assert Path(copy).read_text() == "a"
    assert Path(copy).is_relative_to(daemon.paths.uploads)
    assert daemon.asked["arguments"]["ref"] == "e1"
    daemon.do("tool", name="browser_click", arguments={"ref": "e1"})
    assert daemon.asked["arguments"] == {"ref": "e1"}
