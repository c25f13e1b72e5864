"""Reads and writes local files for a page, only inside the allowed folders.

A page may have talked the agent into a path (prompt injection). So a path must be inside an allowed
root after all links are resolved. What is opened is what was checked: each folder on the way is
opened relative to its parent, without following links (openat, O_NOFOLLOW), so that nothing can be
swapped in between. Knows: roots, links, races. Must not know: what is in the files.
"""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import shutil
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path

from pilothouse.errors import NotPermitted, ToolError, describe_error, read_hint, write_hint
from pilothouse.security.file_access import FolderAccess
from pilothouse.security.filenames import clean_filename, numbered_names, split_relative_path

__all__ = [
    "check_upload",
    "make_own",
    "move_into",
    "pin_upload",
    "pin_upload_at",
    "read_file",
    "save_file",
    "write_file",
]

# What looks like a file there is an interface of the kernel.
# What to do if a session has no folder at all.
_NO_FOLDER = "allow a folder: `pilothouse mcp --files FOLDER`, or a root of the MCP client"
_NEVER = tuple(Path(folder) for folder in ("/proc", "/sys", "/dev"))
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
MOST_NUMBERS = 1000


def check_upload(
    path: str | Path, allowed_roots: Sequence[Path], never: Sequence[Path] = ()
) -> Path:
    """Return the real path of a file that may be given to a page. Raises ToolError.

    Folders in `never` are refused even inside an allowed root, unless the root is inside them.
    """
    real, descriptor = _open_inside(path, allowed_roots, never)
    os.close(descriptor)
    return real


def pin_upload(
    path: str | Path, allowed_roots: Sequence[Path], folder: Path, never: Sequence[Path] = ()
) -> Path:
    """Copy an allowed file into `folder`, which only we can write to. So the page gets the file
    that was checked, whatever happens to the original path. Raises ToolError."""
    real, descriptor = _open_inside(path, allowed_roots, never)
    return _copy_open_file(real, descriptor, folder)


def pin_upload_at(root: int, path: str, folder: Path) -> Path:
    """Copy a file below an open directory (descriptor `root`) into `folder`; no link is followed.
    Raises ToolError."""
    parts = split_relative_path(path)
    if isinstance(parts, str):
        raise _path_error(path, parts, ())
    at = os.dup(root)
    try:
        for part in parts[:-1]:
            below = _open(part, _FOLDER, at, path)
            os.close(at)
            at = below
        descriptor = _open(parts[-1], os.O_RDONLY | os.O_NONBLOCK, at, path)
    finally:
        os.close(at)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise _path_error(path, "it is not a regular file", ())
    return _copy_open_file(Path(*parts), descriptor, folder)


def _copy_open_file(real: Path, descriptor: int, folder: Path) -> Path:
    with os.fdopen(descriptor, "rb") as source:
        own = folder / secrets.token_hex(8)
        pinned = own / real.name
        try:
            own.mkdir(mode=0o700, parents=True)
            with open(os.open(pinned, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as copy:
                shutil.copyfileobj(source, copy)
        except OSError as error:
            shutil.rmtree(own, ignore_errors=True)
            raise ToolError(
                f"could not copy {real} to {pinned}: {error.strerror}",
                hint=write_hint(error, "upload a smaller file"),
            ) from error
    return pinned


def read_file(
    path: str | Path, allowed_roots: Sequence[Path], *, limit: int, never: Sequence[Path] = ()
) -> bytes:
    """Read an allowed file of at most `limit` bytes. Raises ToolError."""
    real, descriptor = _open_inside(path, allowed_roots, never)
    with os.fdopen(descriptor, "rb") as source:
        if os.fstat(descriptor).st_size > limit:
            raise ToolError(f"{real} is larger than {limit} bytes", hint="use a smaller file")
        return source.read(limit)


def _open_inside(
    path: str | Path, allowed_roots: Sequence[Path], never: Sequence[Path] = ()
) -> tuple[Path, int]:
    """Open a file that is inside one of the roots; return its real path and a descriptor."""
    text = str(path)
    if not text or "\0" in text or text.startswith("~"):
        raise _path_error(text, "it is not a valid path", allowed_roots)
    roots = [root.resolve() for root in allowed_roots]
    given = Path(text)
    if not given.is_absolute():
        if not roots:
            raise _path_error(text, "no folder is allowed", allowed_roots)
        given = roots[0] / given
    try:
        real = given.resolve(strict=True)
    except (OSError, RuntimeError) as error:
        # Do not reveal whether a file outside the allowed folders exists.
        inside = any(_within(Path(os.path.normpath(given)), root) for root in roots)
        if inside:
            start = "" if Path(text).is_absolute() else f"; relative paths start at {roots[0]}"
            raise ToolError(
                f"path: {text!r} is refused: it does not exist",
                hint=f"check the path for a typo{start}",
            ) from error
        raise _path_error(text, "it is outside the allowed folders", allowed_roots) from error
    excluded = [folder.resolve() for folder in never]
    root = next(
        (root for root in roots if _within(real, root) and _may_reach(root, real, excluded)), None
    )
    if root is None or any(_within(real, never) for never in _NEVER):
        raise _path_error(text, "it is outside the allowed folders", allowed_roots)
    with _open_folder(root, real.relative_to(root).parts[:-1], text) as folder:
        descriptor = _open(real.name, os.O_RDONLY | os.O_NONBLOCK, folder, text)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise NotPermitted(
            f"path: {text!r} is refused: it is not a regular file",
            hint="name a file, not a folder or a device",
        )
    return real, descriptor


def write_file(
    path: str | Path, data: bytes, roots: Sequence[Path], never: Sequence[Path] = ()
) -> Path:
    """Write a private file (mode 0600) inside one of `roots`, atomically; a file of that name is
    replaced. A relative path is below the first root. Raises ToolError."""
    root, parts = _split_path(str(path), roots)
    final = root.joinpath(*parts)
    if not _may_reach(root, final, [folder.resolve() for folder in never]):
        raise _path_error(str(path), "it belongs to the daemon", roots)
    with _open_folder(root, parts[:-1], str(path)) as folder:
        draft = f".{secrets.token_hex(8)}.part"
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
        try:
            with open(os.open(draft, flags, 0o600, dir_fd=folder), "wb") as file:
                file.write(data)
            if _is_folder(parts[-1], folder):
                raise _path_error(str(path), "it is a folder", roots)
            os.replace(draft, parts[-1], src_dir_fd=folder, dst_dir_fd=folder)
        except OSError as error:
            raise ToolError(
                f"could not write {final}: {error.strerror}",
                hint=write_hint(error, "use another folder"),
            ) from error
        finally:
            with contextlib.suppress(FileNotFoundError):  # it was renamed to its final name
                os.unlink(draft, dir_fd=folder)
    return final


def save_file(path: str | Path, data: bytes, folders: FolderAccess) -> Path:
    """Write a file in one of a session's folders; see `write_file`. Raises ToolError."""
    make_own(folders)
    return write_file(path, data, folders.writes, folders.never)


def make_own(folders: FolderAccess) -> None:
    """Create the session's own folder, if relative paths are written there. Raises ToolError."""
    if folders.own is None or folders.own not in folders.writes[:1]:
        return
    try:
        folders.own.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise ToolError(
            f"could not create {folders.own}: {error.strerror}", hint=write_hint(error)
        ) from error


def move_into(
    source: Path, to: str, roots: Sequence[Path], suggested: str = "", never: Sequence[Path] = ()
) -> Path:
    """Move a file to `to` inside one of `roots`. An existing file is never replaced: the name
    becomes `name (2)`. If `to` is empty or ends with a slash, the name is made from `suggested`.

    Raises ToolError; FileNotFoundError if `source` does not exist.
    """
    if not to or to.endswith("/"):
        to += clean_filename(suggested)
    root, parts = _split_path(to, roots)
    if not _may_reach(root, root.joinpath(*parts), [folder.resolve() for folder in never]):
        raise _path_error(to, "it belongs to the daemon", roots)
    name = clean_filename(parts[-1])
    with _open_folder(root, parts[:-1], to) as folder:
        for attempt, candidate in enumerate(numbered_names(name)):
            if attempt > MOST_NUMBERS:
                raise ToolError(f"{name} exists {attempt} times already", hint="use another name")
            try:
                _link(source, candidate, folder)
            except FileExistsError:
                continue
            except FileNotFoundError:
                raise  # the source is gone; the caller knows what it was
            except OSError as error:
                raise ToolError(
                    f"could not write {root.joinpath(*parts[:-1], candidate)}: {error.strerror}",
                    hint=write_hint(error, "use another folder"),
                ) from error
            source.unlink()
            return root.joinpath(*parts[:-1], candidate)
    raise AssertionError("numbered() is endless")


def _link(source: Path, name: str, folder: int) -> None:
    """Give a file a new name, which must be free: by a hard link, or else by a copy."""
    try:
        os.link(source, name, dst_dir_fd=folder, follow_symlinks=False)
        return
    except OSError as error:
        if error.errno not in (errno.EXDEV, errno.EPERM, errno.ENOTSUP, errno.EMLINK):
            raise
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
    with open(os.open(name, flags, 0o600, dir_fd=folder), "wb") as copy:
        try:
            with open(os.open(source, os.O_RDONLY | os.O_NOFOLLOW), "rb") as original:
                shutil.copyfileobj(original, copy)
            copy.flush()  # inside this `try`: on a full disk no partial file may remain
        except OSError:
            os.unlink(name, dir_fd=folder)
            raise


def _split_path(path: str, roots: Sequence[Path]) -> tuple[Path, tuple[str, ...]]:
    """Return the root of a path to write, and the path's parts below it."""
    if not roots:
        raise _path_error(path, "no folder is allowed", roots)
    for root in roots:
        for spelling in (root, root.resolve()):
            prefix = f"{str(spelling).rstrip('/')}/"
            if path.startswith(prefix):
                return _parts(path.removeprefix(prefix), path, root.resolve(), roots)
    return _parts(path, path, roots[0].resolve(), roots)


def _parts(
    relative: str, path: str, root: Path, roots: Sequence[Path]
) -> tuple[Path, tuple[str, ...]]:
    parts = split_relative_path(relative)
    if isinstance(parts, str):
        raise _path_error(path, parts, roots)
    if any(_within(root, never) for never in _NEVER):
        raise _path_error(path, "no files can be written there", roots)
    return root, parts


@contextlib.contextmanager
def _open_folder(root: Path, parts: Sequence[str], path: str) -> Iterator[int]:
    """Open a folder below `root` without following a single link; yield its descriptor."""
    try:
        descriptor = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        if isinstance(error, FileNotFoundError):
            raise ToolError(f"{root} does not exist", hint="create the folder") from error
        raise ToolError(
            f"the folder {root} cannot be opened: {describe_error(error)}", hint=read_hint(error)
        ) from error
    try:
        for part in parts:
            below = _open(part, _FOLDER, descriptor, path)
            os.close(descriptor)
            descriptor = below
        yield descriptor
    finally:
        os.close(descriptor)


def _open(name: str, flags: int, folder: int, path: str) -> int:
    try:
        return os.open(name, flags | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
    except FileNotFoundError as error:
        raise ToolError(
            f"path: {path!r} is refused: it does not exist",
            hint="use a path that exists in one of the allowed folders",
        ) from error
    except OSError as error:
        why = "is a link" if error.errno == errno.ELOOP else (error.strerror or "").lower()
        raise NotPermitted(
            f"path: {path!r} is refused: {name!r} {why}", hint="use a path without links"
        ) from error


def _is_folder(name: str, folder: int) -> bool:
    try:
        return stat.S_ISDIR(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode)
    except FileNotFoundError:
        return False


def _may_reach(root: Path, to: Path, never: Sequence[Path]) -> bool:
    """Whether a root gives access to a path: to one in an excluded folder (the daemon's own) only
    if the root is inside that folder, too."""
    return not any(_within(to, folder) and not _within(root, folder) for folder in never)


def _within(path: Path, root: Path) -> bool:
    return path == root or root in path.parents


def _path_error(path: str, why: str, roots: Sequence[Path]) -> ToolError:
    allowed = ", ".join(str(root) for root in roots)
    hint = f"use one of the allowed folders: {allowed}" if roots else _NO_FOLDER
    return NotPermitted(f"path: {path!r} is refused: {why}", hint=hint)
