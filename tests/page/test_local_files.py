"""Which files may be read and written (threat row S10)."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from pilothouse.errors import ToolError
from pilothouse.page import local_files as paths
from pilothouse.page.local_files import check_upload, move_into, pin_upload, read_file, write_file
from tests.small_disk import small_disk


@pytest.fixture
def world(tmp_path: Path) -> Path:
    """A root with a file, a secret beside it, and links that try to connect the two."""
    root = tmp_path / "root"
    (root / "sub").mkdir(parents=True)
    (root / "sub" / "file.txt").write_text("fine")
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "key").write_text("secret")
    (root / "file-link").symlink_to(tmp_path / "secret" / "key")
    (root / "folder-link").symlink_to(tmp_path / "secret")
    (root / "inside-link").symlink_to(root / "sub" / "file.txt")
    return tmp_path


BAD = [
    "../secret/key",
    "sub/../../secret/key",
    "file-link",
    "folder-link/key",
    "/etc/passwd",
    "/proc/self/environ",
    "/proc/self/root/etc/passwd",
    "~/x",
    "~root/x",
    "a\0b",
    "",
    "sub",
    "nothing-here",
]


@pytest.mark.parametrize("path", BAD)
def test_no_file_outside_is_given_to_a_page(world: Path, path: str) -> None:
    with pytest.raises(ToolError, match="refused"):
        check_upload(path, [world / "root"])


def test_without_an_allowed_folder_no_file_is(world: Path) -> None:
    with pytest.raises(ToolError, match="refused"):
        check_upload(world / "root" / "sub" / "file.txt", [])


def test_even_the_root_of_all_does_not_open_the_kernels_files() -> None:
    with pytest.raises(ToolError, match="outside"):
        check_upload("/proc/self/environ", [Path("/")])


@pytest.mark.parametrize("path", ["sub/file.txt", "sub/./file.txt", "inside-link"])
def test_a_file_inside_is_given_by_its_real_path(world: Path, path: str) -> None:
    root = world / "root"
    assert check_upload(path, [root]) == (root / "sub" / "file.txt").resolve()
    assert check_upload(root / path, [root]) == (root / "sub" / "file.txt").resolve()


def test_a_fifo_is_no_file(world: Path) -> None:
    os.mkfifo(world / "root" / "pipe")
    with pytest.raises(ToolError, match="regular"):
        check_upload("pipe", [world / "root"])


def test_a_folder_swapped_for_a_link_after_the_check_is_refused(world: Path) -> None:
    """What `resolve` saw is opened step by step without following links."""
    root = (world / "root").resolve()
    real = root / "sub" / "file.txt"
    (root / "sub").rename(root / "was")
    (root / "sub").symlink_to(world / "secret")
    (world / "secret" / "file.txt").write_text("secret")
    with (
        pytest.raises(ToolError, match="refused"),
        paths._open_folder(root, real.relative_to(root).parts[:-1], str(real)),
    ):
        pass


def test_a_pinned_file_does_not_change_with_its_path(world: Path) -> None:
    root = world / "root"
    pinned = pin_upload("sub/file.txt", [root], world / "pins")
    (root / "sub" / "file.txt").unlink()
    (root / "sub" / "file.txt").symlink_to(world / "secret" / "key")
    assert (pinned.name, pinned.read_text()) == ("file.txt", "fine")
    assert stat.S_IMODE(pinned.stat().st_mode) == 0o600


def test_a_file_that_is_too_large_is_not_read(world: Path) -> None:
    root = world / "root"
    assert read_file("sub/file.txt", [root], limit=4) == b"fine"
    with pytest.raises(ToolError, match="is larger than 3 bytes"):
        read_file("sub/file.txt", [root], limit=3)


@pytest.mark.parametrize("path", ["../x", "/etc/x", "folder-link/x", "~/x", "a\0", "", "sub"])
def test_nothing_is_written_outside(world: Path, path: str) -> None:
    with pytest.raises(ToolError, match="refused"):
        write_file(path, b"x", [world / "root"])
    assert sorted(p.name for p in (world / "secret").iterdir()) == ["key"]
    assert not list((world / "root").rglob("*.part"))


def test_a_link_is_replaced_and_not_followed_by_what_is_written(world: Path) -> None:
    written = write_file("file-link", b"mine", [world / "root"])
    assert (world / "secret" / "key").read_text() == "secret"
    assert not written.is_symlink()
    assert stat.S_IMODE(written.stat().st_mode) == 0o600


def test_a_file_is_moved_under_a_free_name(world: Path) -> None:
    root = world / "root"
    names = []
    for number in range(3):
        source = world / f"guid-{number}"
        source.write_text(str(number))
        names.append(move_into(source, "", [root], "../re?port.csv").name)
        assert not source.exists()
    assert names == ["re_port.csv", "re_port (2).csv", "re_port (3).csv"]
    assert (root / "re_port (2).csv").read_text() == "1"


def test_a_move_does_not_follow_a_link_of_that_name(world: Path) -> None:
    source = world / "guid"
    source.write_text("downloaded")
    assert move_into(source, "file-link", [world / "root"]).name == "file-link (2)"
    assert (world / "secret" / "key").read_text() == "secret"


def test_a_move_into_a_folder_that_is_not_there_leaves_the_file(world: Path) -> None:
    source = world / "guid"
    source.write_text("downloaded")
    with pytest.raises(ToolError, match="refused"):
        move_into(source, "nowhere/x", [world / "root"])
    with pytest.raises(ToolError, match="refused"):
        move_into(source, "folder-link/x", [world / "root"])
    assert source.exists()


pieces = st.sampled_from(["..", ".", "sub", "folder-link", "file-link", "key", "~", "x", "", "\0"])


@settings(
    max_examples=300,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(parts=st.lists(pieces, min_size=1, max_size=6), absolute=st.booleans())
@example(parts=["sub", "..", "..", "secret", "key"], absolute=False)
def test_no_path_reads_or_writes_outside(world: Path, parts: list[str], absolute: bool) -> None:
    root = world / "root"
    path = "/".join(parts)
    path = f"{root}/{path}" if absolute else path
    before = sorted(p.name for p in world.iterdir())
    try:
        found = check_upload(path, [root])
    except ToolError:
        pass
    else:
        assert root.resolve() in found.parents
    try:
        written = write_file(path, b"x", [root])
    except ToolError:
        pass
    else:
        assert root.resolve() in written.resolve().parents
    assert (world / "secret" / "key").read_text() == "secret"
    assert sorted(p.name for p in (world / "secret").iterdir()) == ["key"]
    assert sorted(p.name for p in world.iterdir()) == before


def test_full_disk_leaves_no_half_of_an_upload_or_a_moved_file(tmp_path: Path) -> None:
    large = tmp_path / "large.bin"
    large.write_bytes(b"x" * 5000)
    with small_disk() as disk:
        disk.fill()
        with pytest.raises(ToolError, match=rf"could not copy {large} to .*No space left"):
            pin_upload(str(large), (tmp_path,), disk.path / "uploads")
        with pytest.raises(ToolError, match=r"could not write .*: No space left on device"):
            move_into(large, "", (disk.path,), "large.bin")
        left = [path.name for path in disk.path.rglob("*") if path.is_file()]
        assert left == ["ballast"]
    assert large.exists()


def test_what_is_the_daemons_is_reached_only_by_a_root_within_it(tmp_path: Path) -> None:
    daemon, uploads = tmp_path / "daemon", tmp_path / "daemon" / "uploads"
    uploads.mkdir(parents=True)
    for file in (daemon / "token", uploads / "copy", tmp_path / "mine"):
        file.write_text("x")
    roots, never = (tmp_path, uploads), (daemon,)
    for fine in (tmp_path / "mine", uploads / "copy"):
        assert check_upload(fine, roots, never) == fine
    with pytest.raises(ToolError, match="outside the allowed folders"):
        check_upload(daemon / "token", roots, never)
    with pytest.raises(ToolError, match="outside the allowed folders"):
        read_file(daemon / "token", roots, limit=9, never=never)
    with pytest.raises(ToolError, match="belongs to the daemon"):
        write_file("daemon/token", b"y", roots, never)
    with pytest.raises(ToolError, match="belongs to the daemon"):
        move_into(tmp_path / "mine", "daemon/token", roots, never=never)
    assert write_file(uploads / "new", b"y", (uploads,), never) == uploads / "new"
