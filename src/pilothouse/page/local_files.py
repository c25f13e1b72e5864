"""Which files may be read and written for a page, and how without being led astray.

Knows: roots, links, races. A path is an argument that a page may have talked the agent into: it
must be inside an allowed root after all links are followed, and what is opened is what was checked,
as each folder on the way is opened without following links. Must not know: what is in the files.
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

from pilothouse.errors import ToolError
from pilothouse.security.file_access import Folders
from pilothouse.security.filenames import clean_filename, numbered, relative_parts

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

# Files there are not files.
_NEVER = tuple(Path(place) for place in ("/proc", "/sys", "/dev"))
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
MOST_NUMBERS = 1000


def check_upload(
    path: str | Path, allowed_roots: Sequence[Path], never: Sequence[Path] = ()
) -> Path:
    """The real path of a file that may be given to a page. Raises ToolError. Nothing is taken from
    `never` by a root around it."""
    real, descriptor = _open_inside(path, allowed_roots, never)
    os.close(descriptor)
    return real


def pin_upload(
    path: str | Path, allowed_roots: Sequence[Path], folder: Path, never: Sequence[Path] = ()
) -> Path:
    """The same file under `folder`, which nobody else can write to: whatever happens to the path
    after the check, the page gets the file that was checked. Raises ToolError."""
    real, descriptor = _open_inside(path, allowed_roots, never)
    return _pinned(real, descriptor, folder)


def pin_upload_at(root: int, path: str, folder: Path) -> Path:
    """The same for a path below a directory that is open as `root`; no link is followed."""
    parts = relative_parts(path)
    if isinstance(parts, str):
        raise _refused(path, parts, ())
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
        raise _refused(path, "it is no regular file", ())
    return _pinned(Path(*parts), descriptor, folder)


def _pinned(real: Path, descriptor: int, folder: Path) -> Path:
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
                hint="free space on that disk, or upload a smaller file",
            ) from error
    return pinned


def read_file(
    path: str | Path, allowed_roots: Sequence[Path], *, limit: int, never: Sequence[Path] = ()
) -> bytes:
    """What is in an allowed file of at most `limit` bytes. Raises ToolError."""
    real, descriptor = _open_inside(path, allowed_roots, never)
    with os.fdopen(descriptor, "rb") as source:
        if os.fstat(descriptor).st_size > limit:
            raise ToolError(f"{real} is over {limit} bytes", hint="give a smaller file")
        return source.read(limit)


def _open_inside(
    path: str | Path, allowed_roots: Sequence[Path], never: Sequence[Path] = ()
) -> tuple[Path, int]:
    text = str(path)
    if not text or "\0" in text or text.startswith("~"):
        raise _refused(text, "it is no usable path", allowed_roots)
    roots = [root.resolve() for root in allowed_roots]
    given = Path(text)
    if not given.is_absolute():
        if not roots:
            raise _refused(text, "no folder is allowed", allowed_roots)
        given = roots[0] / given
    try:
        real = given.resolve(strict=True)
    except (OSError, RuntimeError) as error:
        # Whether a file outside exists is nobody's business either.
        inside = any(_within(Path(os.path.normpath(given)), root) for root in roots)
        why = "it is not there" if inside else "it is outside the allowed folders"
        raise _refused(text, why, allowed_roots) from error
    shut = [place.resolve() for place in never]
    root = next((root for root in roots if _within(real, root) and _leads(root, real, shut)), None)
    if root is None or any(_within(real, never) for never in _NEVER):
        raise _refused(text, "it is outside the allowed folders", allowed_roots)
    with _folder(root, real.relative_to(root).parts[:-1], text) as folder:
        descriptor = _open(real.name, os.O_RDONLY | os.O_NONBLOCK, folder, text)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise _refused(text, "it is no regular file", allowed_roots)
    return real, descriptor


def write_file(
    path: str | Path, data: bytes, roots: Sequence[Path], never: Sequence[Path] = ()
) -> Path:
    """Write a private file (mode 0600) inside one of `roots`, whole or not at all; one of that name
    is replaced. A relative path is below the first root. Raises ToolError."""
    root, parts = _place(str(path), roots)
    final = root.joinpath(*parts)
    if not _leads(root, final, [place.resolve() for place in never]):
        raise _refused(str(path), "it is the daemon's own", roots)
    with _folder(root, parts[:-1], str(path)) as folder:
        draft = f".{secrets.token_hex(8)}.part"
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
        try:
            with open(os.open(draft, flags, 0o600, dir_fd=folder), "wb") as file:
                file.write(data)
            if _is_folder(parts[-1], folder):
                raise _refused(str(path), "it is a folder", roots)
            os.replace(draft, parts[-1], src_dir_fd=folder, dst_dir_fd=folder)
        except OSError as error:
            raise ToolError(
                f"{final} could not be written: {error.strerror}", hint="free space, or elsewhere"
            ) from error
        finally:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(draft, dir_fd=folder)
    return final


def save_file(path: str | Path, data: bytes, folders: Folders) -> Path:
    """Write a file where a session may, as `write_file` does. Raises ToolError."""
    make_own(folders)
    return write_file(path, data, folders.writes, folders.never)


def make_own(folders: Folders) -> None:
    """Make the session's own folder, if it is the first that may be written to. Raises
    ToolError."""
    if folders.own is None or folders.own not in folders.writes[:1]:
        return
    try:
        folders.own.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise ToolError(
            f"could not make {folders.own}: {error.strerror}", hint="free space on that disk"
        ) from error


def move_into(
    source: Path, to: str, roots: Sequence[Path], suggested: str = "", never: Sequence[Path] = ()
) -> Path:
    """Move a file to `to` inside one of `roots`, never over another: `name (2)` then. `to` may be
    empty or a folder (with a slash at its end); the name is then made of `suggested`.

    Raises ToolError; FileNotFoundError if there is no such source.
    """
    if not to or to.endswith("/"):
        to += clean_filename(suggested)
    root, parts = _place(to, roots)
    if not _leads(root, root.joinpath(*parts), [place.resolve() for place in never]):
        raise _refused(to, "it is the daemon's own", roots)
    name = clean_filename(parts[-1])
    with _folder(root, parts[:-1], to) as folder:
        for attempt, candidate in enumerate(numbered(name)):
            if attempt > MOST_NUMBERS:
                raise ToolError(f"{name} is there {attempt} times", hint="give another name")
            try:
                _link(source, candidate, folder)
            except FileExistsError:
                continue
            except FileNotFoundError:
                raise  # there is nothing to move: for the caller to explain
            except OSError as error:
                raise ToolError(
                    f"{root.joinpath(*parts[:-1], candidate)} could not be written: "
                    f"{error.strerror}",
                    hint="free space, or choose another folder",
                ) from error
            source.unlink()
            return root.joinpath(*parts[:-1], candidate)
    raise AssertionError("numbers do not end")


def _link(source: Path, name: str, folder: int) -> None:
    """Give the file its new name, which must be free: by a link if there can be one."""
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
            copy.flush()  # here, not when it is closed: a full disk must leave nothing
        except OSError:
            os.unlink(name, dir_fd=folder)
            raise


def _place(path: str, roots: Sequence[Path]) -> tuple[Path, tuple[str, ...]]:
    """The root a path to write is in, and its parts below it."""
    if not roots:
        raise _refused(path, "no folder is allowed", roots)
    for root in roots:
        for spelt in (root, root.resolve()):
            prefix = f"{str(spelt).rstrip('/')}/"
            if path.startswith(prefix):
                return _parts(path.removeprefix(prefix), path, root.resolve(), roots)
    return _parts(path, path, roots[0].resolve(), roots)


def _parts(
    relative: str, path: str, root: Path, roots: Sequence[Path]
) -> tuple[Path, tuple[str, ...]]:
    parts = relative_parts(relative)
    if isinstance(parts, str):
        raise _refused(path, parts, roots)
    if any(_within(root, never) for never in _NEVER):
        raise _refused(path, "no files are written there", roots)
    return root, parts


@contextlib.contextmanager
def _folder(root: Path, parts: Sequence[str], path: str) -> Iterator[int]:
    """A folder below `root`, reached without following a single link."""
    try:
        descriptor = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        raise ToolError(f"{root} is not there", hint="make the folder") from error
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
            f"the path {path!r} is refused: it is not there",
            hint="give a path that exists in one of the allowed folders",
        ) from error
    except OSError as error:
        why = "is a link" if error.errno == errno.ELOOP else (error.strerror or "").lower()
        raise ToolError(f"{path!r} is refused: {name!r} {why}", hint="give a plain path") from error


def _is_folder(name: str, folder: int) -> bool:
    try:
        return stat.S_ISDIR(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode)
    except FileNotFoundError:
        return False


def _leads(root: Path, to: Path, never: Sequence[Path]) -> bool:
    """Whether a root may lead to a path: into what is the daemon's only from within it."""
    return not any(_within(to, shut) and not _within(root, shut) for shut in never)


def _within(path: Path, root: Path) -> bool:
    return path == root or root in path.parents


def _refused(path: str, why: str, roots: Sequence[Path]) -> ToolError:
    allowed = ", ".join(str(root) for root in roots) or "none"
    return ToolError(f"the path {path!r} is refused: {why}", hint=f"allowed folders: {allowed}")
