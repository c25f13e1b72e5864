"""Which files a client may upload, and where its downloads go."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pilothouse.errors import ToolError
from pilothouse.relay.hub.client_files import ClientFiles, FileRules
from pilothouse.security.relay_tokens import OWN_TOKEN, Grant

pytestmark = pytest.mark.boundary


@pytest.fixture
def rules(tmp_path: Path) -> FileRules:
    for name in ("data", "daemon", "declared", "downloads"):
        (tmp_path / name).mkdir()
    return FileRules(
        tmp_path / "data" / "relay",
        forbidden=(tmp_path / "daemon",),
        files=(tmp_path / "declared",),
        downloads=(tmp_path / "downloads",),
    )


def own(rules: FileRules) -> ClientFiles:
    return ClientFiles(rules, "shop", "c1", Grant(OWN_TOKEN))


def test_uploads_come_from_the_clients_folder_and_declared_ones(
    rules: FileRules, tmp_path: Path
) -> None:
    files = own(rules)
    files.uploads.mkdir(parents=True)
    for folder in (files.uploads, tmp_path / "declared"):
        (folder / "a.txt").write_text(folder.name)
        (taken,) = files.prepare_uploads([str(folder / "a.txt")])
        assert (Path(taken).name, Path(taken).read_text()) == ("a.txt", folder.name)
        # A copy: what happens to the path now is nothing to the page.
        assert Path(taken) != folder / "a.txt"
        assert Path(taken).stat().st_mode & 0o077 == 0


def test_no_other_file_is_uploaded_and_the_allowed_folders_are_named(
    rules: FileRules, tmp_path: Path
) -> None:
    files = own(rules)
    (tmp_path / "daemon" / "relay.token").write_text("secret")
    (tmp_path / "declared" / "link").symlink_to("/etc/hostname")
    (tmp_path / "declared" / "folder").mkdir()
    (tmp_path / "declared" / "folder" / "out").symlink_to("/etc")
    os.mkfifo(tmp_path / "declared" / "pipe")
    stranger = ClientFiles(rules, "bank", "c2", Grant(OWN_TOKEN))
    stranger.prepare_uploads([])
    (stranger.uploads / "theirs").write_text("x")
    for path in (
        "/etc/shadow",
        "/etc/hostname",
        "/proc/self/environ",
        "/etc",
        "hostname",
        "~/x",
        "",
        "/etc/hostname\0",
        str(tmp_path / "declared" / ".." / "daemon" / "relay.token"),
        str(tmp_path / "declared" / "link"),
        str(tmp_path / "declared" / "folder"),
        str(tmp_path / "declared" / "pipe"),
        str(stranger.uploads / "theirs"),
    ):
        with pytest.raises(ToolError):
            files.prepare_uploads([path])
    with pytest.raises(ToolError) as caught:
        files.prepare_uploads(["/etc/hostname"])
    assert str(files.uploads) in caught.value.hint
    assert str(tmp_path / "declared") in caught.value.hint


def test_the_daemons_own_files_stay_closed_whatever_is_declared(tmp_path: Path) -> None:
    (tmp_path / "daemon").mkdir()
    (tmp_path / "daemon" / "relay.token").write_text("secret")
    rules = FileRules(tmp_path / "relay", forbidden=(tmp_path / "daemon",), files=(tmp_path,))
    files = own(rules)
    for path in ("daemon/relay.token", "daemon"):
        with pytest.raises(ToolError, match="the daemon's own"):
            files.prepare_uploads([str(tmp_path / path)])
    for path in ("daemon", "daemon/new", "relay", "relay/bank/downloads"):
        assert files.download_folder(str(tmp_path / path), named=True) == files.downloads


def test_folders_of_a_token_are_its_owners_alone(rules: FileRules, tmp_path: Path) -> None:
    (tmp_path / "granted").mkdir()
    (tmp_path / "granted" / "a.txt").write_text("a")
    granted = Grant("t1", "shop", shared=False, files=(str(tmp_path / "granted"),))
    assert ClientFiles(rules, "shop", "c1", granted).prepare_uploads(
        [str(tmp_path / "granted" / "a.txt")]
    )
    other = ClientFiles(rules, "bank", "c2", Grant("t2", "bank", shared=False))
    with pytest.raises(ToolError, match="outside the allowed folders"):
        other.prepare_uploads([str(tmp_path / "granted" / "a.txt")])
    # The folders of the settings for downloads are for the user's own token.
    downloads = tmp_path / "downloads"
    assert other.download_folder(str(downloads), named=True) == other.downloads
    assert own(rules).download_folder(str(downloads), named=True) == downloads


def test_downloads_that_may_not_go_where_they_are_wanted_go_to_the_clients_folder(
    rules: FileRules, tmp_path: Path
) -> None:
    files = own(rules)
    (tmp_path / "declared" / "out").symlink_to(tmp_path)
    for path in (
        "/etc",
        "relative",
        str(tmp_path / "daemon"),
        str(tmp_path / "declared" / "out" / "x"),
        str(tmp_path / "declared" / ".." / "x"),
    ):
        assert files.download_folder(path, named=True) == files.downloads
        assert files.download_folder(path, named=False) == files.downloads
    new = tmp_path / "declared" / "new"
    assert files.download_folder(str(new), named=True) == new


def test_playwrights_own_folder_is_taken_if_it_is_this_users_alone(
    rules: FileRules, tmp_path: Path
) -> None:
    files = own(rules)
    folder = tmp_path / "playwright-artifacts-Ab12Cd"
    assert files.download_folder(str(folder), named=False) == files.downloads  # it is not there
    folder.mkdir(mode=0o700)
    assert files.download_folder(str(folder), named=False) == folder
    # Sites would choose the names there.
    assert files.download_folder(str(folder), named=True) == files.downloads
    folder.chmod(0o755)
    assert files.download_folder(str(folder), named=False) == files.downloads
    within = tmp_path / "daemon" / "playwright-artifacts-x"
    within.mkdir(mode=0o700)
    assert files.download_folder(str(within), named=False) == files.downloads


def test_owners_have_folders_of_their_own_whatever_they_are_called(rules: FileRules) -> None:
    names = ("shop", "../shop", "shop/..", ".", "..", "a b", "a-b", "A" * 300, "x\n", "")
    homes = {ClientFiles(rules, name, "c", Grant(OWN_TOKEN)).home for name in names}
    assert len(homes) == len(names)
    assert {home.parent for home in homes} == {rules.base}


def test_what_is_empty_goes_with_the_client_and_what_is_not_stays(rules: FileRules) -> None:
    files = own(rules)
    files.prepare_uploads([])
    (files.uploads / "a.txt").write_text("a")
    files.prepare_uploads([str(files.uploads / "a.txt")])
    files.clean_up()
    assert sorted(p.name for p in files.home.rglob("*")) == ["a.txt", "uploads"]
    (files.uploads / "a.txt").unlink()
    files.clean_up()
    assert not files.home.exists()
