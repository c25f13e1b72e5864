"""Which folders a session may read from and write to."""

from __future__ import annotations

from pathlib import Path

import pytest

from pilothouse.security.file_access import (
    DOWNLOADS,
    FileSettings,
    Roots,
    decide_access,
    folder_name,
    session_roots,
    why_too_wide,
)

HOME = Path("/home/ann")
ONE, TWO = Path("/srv/one"), Path("/srv/two")
USUAL = FileSettings(uploads=Path("/run/uploads"), sessions=Path("/run/files"))
OWN = Path("/run/files/me")


@pytest.mark.parametrize(
    ("files", "client", "working", "folders"),
    [
        ((), (), ONE, (ONE,)),
        ((), (TWO,), ONE, (TWO,)),
        ((ONE,), (TWO,), HOME / "x", (ONE, TWO)),
        ((ONE,), (ONE,), None, (ONE,)),
        ((), (), None, ()),
        ((), (), Path("/"), ()),
        ((), (), HOME, ()),
        ((), (), Path("/home"), ()),
        ((), (), HOME / "project", (HOME / "project",)),
        # Whoever names folders that will not do has none; the working directory is not meant.
        ((), (HOME,), ONE, ()),
        ((), (Path("/"), TWO), ONE, (TWO,)),
    ],
)
def test_roots_are_what_is_named_else_the_working_directory(
    files: tuple[Path, ...],
    client: tuple[Path, ...],
    working: Path | None,
    folders: tuple[Path, ...],
) -> None:
    assert session_roots(files, client, working, HOME).folders == folders


def test_a_root_that_is_refused_is_told_with_the_reason() -> None:
    refused = session_roots((), (HOME,), None, HOME).refused
    assert refused == ("/home/ann is the home directory itself: name a folder in it",)


@pytest.mark.parametrize("folder", ["/", "/home", "/home/ann", "relative", "."])
def test_the_disk_the_home_directory_and_relative_folders_are_no_roots(folder: str) -> None:
    assert why_too_wide(Path(folder), HOME)


def test_without_roots_a_session_has_a_folder_of_its_own_for_everything() -> None:
    access = decide_access(USUAL, Roots(), "me")
    assert access.writes == (OWN,)
    assert access.downloads == OWN
    assert access.reads == (OWN, USUAL.uploads)


def test_named_roots_come_first_and_downloads_have_a_folder_in_the_first() -> None:
    access = decide_access(USUAL, Roots((ONE, TWO), named=True), "me")
    assert access.writes[:2] == access.reads[:2] == access.roots == (ONE, TWO)
    assert access.downloads == ONE / DOWNLOADS


def test_downloads_do_not_go_to_a_working_directory_that_nobody_named() -> None:
    access = decide_access(USUAL, Roots((ONE,)), "me")
    assert access.writes[0] == ONE
    assert access.downloads == OWN


def test_settings_add_folders_and_go_before_for_downloads() -> None:
    shots, invoices, loads = Path("/shots"), Path("/invoices"), Path("/loads")
    settings = FileSettings(
        USUAL.uploads,
        USUAL.sessions,
        download_dir=loads,
        screenshot_dir=shots,
        upload_dirs=(invoices,),
    )
    access = decide_access(settings, Roots((ONE,), named=True), "me")
    assert access.reads == (ONE, invoices, loads, OWN, USUAL.uploads)
    assert access.writes == (ONE, shots, loads, OWN)
    assert access.downloads == loads


def test_downloads_can_be_off() -> None:
    settings = FileSettings(USUAL.uploads, USUAL.sessions, keep_downloads=False)
    assert decide_access(settings, Roots((ONE,), named=True), "me").downloads is None


def test_each_owner_has_a_folder_name_of_its_own_that_leads_nowhere_else() -> None:
    names = ["me", "../me", "a/b", "a-b", "", ".", "x" * 90, "x" * 91]
    made = [folder_name(name) for name in names]
    assert len(set(made)) == len(names)
    assert all("/" not in name and not name.startswith(".") for name in made)
