"""Relative paths of the caller reach the daemon as absolute paths."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pilothouse.code.client.app_path_resolution import absolute_app_paths, absolute_endpoint


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", "/home/ann")
    (tmp_path / "app").write_text("")
    (tmp_path / "profile").mkdir()
    return tmp_path


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"path": "./app"}, {"path": "{here}/app"}),
        ({"path": "app"}, {"path": "{here}/app"}),
        ({"path": "bin/other"}, {"path": "{here}/bin/other"}),
        ({"path": "no-such-program-anywhere"}, {"path": "{here}/no-such-program-anywhere"}),
        ({"path": "~/app"}, {"path": "/home/ann/app"}),
        ({"path": "/opt/app"}, {"path": "/opt/app"}),
        ({"path": ""}, {"path": ""}),
        ({"path": 7, "args": "x"}, {"path": 7, "args": "x"}),
        (
            {"path": "/x", "args": ["--user-data-dir=d", "--flag", 3]},
            {"path": "/x", "args": ["--user-data-dir={here}/d", "--flag", 3]},
        ),
        ({"cdp_url": "profile", "target": "a"}, {"cdp_url": "{here}/profile", "target": "a"}),
        ({"cdp_url": "9222"}, {"cdp_url": "9222"}),
    ],
)
def test_paths_of_an_app_are_those_of_its_caller(
    here: Path, given: dict[str, Any], expected: dict[str, Any]
) -> None:
    def whole(value: Any) -> Any:
        if isinstance(value, list):
            return [whole(one) for one in value]
        return value.replace("{here}", str(here)) if isinstance(value, str) else value

    assert absolute_app_paths(given) == {name: whole(value) for name, value in expected.items()}


def test_paths_may_be_below_another_folder(here: Path) -> None:
    asked = {"path": "./app", "args": ["--user-data-dir=d", "--user-data-dir=/full"]}
    assert absolute_app_paths(asked, "/srv") == {
        "path": "/srv/app",
        "args": ["--user-data-dir=/srv/d", "--user-data-dir=/full"],
    }


def test_a_bare_name_is_found_where_shells_look(here: Path) -> None:
    assert absolute_app_paths({"path": "sh"})["path"].endswith("bin/sh")


def test_only_what_is_there_is_an_endpoint_by_path(here: Path) -> None:
    assert absolute_endpoint("profile") == str(here / "profile")
    for named in ("9222", "http://127.0.0.1:9222", "", "nowhere"):
        assert absolute_endpoint(named) == named
