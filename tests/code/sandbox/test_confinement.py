"""Each layer of the sandbox, tested from inside a worker."""

from __future__ import annotations

import asyncio
import errno
import os
import platform
import socket
import sys
from pathlib import Path

import pytest

from pilothouse.code.sandbox.confinement import SANDBOX_LAYERS
from pilothouse.code.sandbox.seccomp import ALLOWED, ARCHITECTURES, CONDITIONAL
from pilothouse.code.sandbox.syscalls import SYSCALLS
from tests.code.worker_runs import PATIENCE_S, Bench

pytestmark = [
    pytest.mark.boundary,
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.skipif(sys.platform != "linux", reason="these layers exist only on Linux"),
]

REFUSED = ("PermissionError", "OSError", "URLError", "gaierror")


async def refused(bench: Bench, code: str) -> None:
    error = await bench.error(code)
    assert error["kind"] in REFUSED, error
    assert "scratch directory" in error["hint"]


async def test_every_wall_stands_here(bench: Bench) -> None:
    await bench.value("1")
    assert bench.runner.sandbox_layers == {"stand": list(SANDBOX_LAYERS), "missing": []}


@pytest.mark.parametrize(
    "path", ["/etc/passwd", "/proc/self/environ", "/proc/1/cmdline", "/dev/shm", __file__]
)
async def test_files_outside_cannot_be_read(bench: Bench, path: str) -> None:
    assert (await bench.error(f"open({path!r}).read()"))["kind"] == "PermissionError"


async def test_a_file_of_the_daemon_cannot_be_read_or_written(bench: Bench, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("secret", "utf-8")
    await refused(bench, f"open({str(secret)!r}).read()")
    await refused(bench, f"open({str(secret)!r}, 'w').write('gone')")
    await refused(bench, f"import os\nos.unlink({str(secret)!r})")
    await refused(bench, f"import os\nos.listdir({str(tmp_path)!r})")
    await refused(bench, f"import os\nos.mkdir({str(tmp_path / 'new')!r})")
    await refused(bench, f"import os\nos.symlink('x', {str(tmp_path / 'link')!r})")
    await refused(bench, f"import os\nos.truncate({str(secret)!r}, 0)")
    assert secret.read_text("utf-8") == "secret"


async def test_the_scratch_of_another_worker_is_out_of_reach(bench: Bench) -> None:
    await refused(bench, "import os\nos.listdir('..')")


async def test_the_scratch_directory_can_be_used(bench: Bench) -> None:
    code = """
import os, tempfile, sqlite3
Path("a/b").mkdir(parents=True)
Path("a/b/file").write_text("kept")
os.rename("a/b/file", "a/file")
with tempfile.NamedTemporaryFile("w") as f:
    f.write("x")
    inside = f.name.startswith(os.getcwd())
[Path("a/file").read_text(), inside, sorted(os.listdir("a")), Path.home() == Path.cwd()]
"""
    assert await bench.value(code) == ["kept", True, ["b", "file"], True]


async def test_libraries_can_be_imported_and_zones_read(bench: Bench) -> None:
    code = (
        "import zoneinfo, xml.dom.minidom, sqlite3, ctypes\nstr(zoneinfo.ZoneInfo('Europe/Paris'))"
    )
    assert await bench.value(code) == "Europe/Paris"


@pytest.mark.parametrize(
    "code",
    [
        "import urllib.request\nurllib.request.urlopen('http://127.0.0.1:9/')",
        "import socket\nsocket.create_connection(('127.0.0.1', 9))",
        "import socket\nsocket.socket(socket.AF_UNIX)",
        "import socket\nsocket.socket(socket.AF_NETLINK, socket.SOCK_RAW)",
        "import socket\nsocket.getaddrinfo('localhost.invalid', 80)",
    ],
)
async def test_there_is_no_network(bench: Bench, code: str) -> None:
    await refused(bench, code)


async def test_even_without_the_list_there_is_only_an_empty_network(bench: Bench) -> None:
    assert bench.zygote.pid is not None
    await bench.value("1")
    assert os.readlink(f"/proc/{bench.zygote.pid}/ns/net") != os.readlink("/proc/self/ns/net")


@pytest.mark.parametrize(
    "code",
    [
        "import os\nos.fork()",
        "import os\nos.execv('/bin/true', ['true'])",
        "import os\nos.posix_spawn('/bin/true', ['true'], {})",
        "import subprocess\nsubprocess.run(['true'])",
        "import multiprocessing\nmultiprocessing.get_context('fork').Process().start()",
        "import os\nos.kill(os.getppid(), 9)",
        "import os\nos.kill(-1, 0)",
        "import os, signal\nos.killpg(os.getppid(), signal.SIGTERM)",
        "import os\nos.pidfd_open(os.getppid())",
        "import os\nos.setpriority(os.PRIO_PROCESS, os.getppid(), 19)",
        "import os\nos.sched_setaffinity(os.getppid(), {0})",
        "import os\nos.memfd_create('x')",
        "import resource, os\nresource.prlimit(os.getppid(), resource.RLIMIT_NOFILE, (3, 3))",
        "import os\nos.chroot('.')",
    ],
)
async def test_processes_cannot_be_made_or_touched(bench: Bench, code: str) -> None:
    await refused(bench, code)


async def test_system_calls_made_by_hand_are_refused_too(bench: Bench) -> None:
    code = """
import ctypes, platform
libc = ctypes.CDLL(None, use_errno=True)
def errno_of(*call):
    ctypes.set_errno(0)
    libc.syscall(*call)
    return ctypes.get_errno()
x86 = platform.machine() == "x86_64"
calls = {
    "ptrace": (101, 16, 1, 0, 0) if x86 else (117, 16, 1, 0, 0),
    "unshare": (272, 0x10000000) if x86 else (97, 0x10000000),
    "clone": (56, 17, 0, 0, 0, 0) if x86 else (220, 17, 0, 0, 0, 0),
    "process_vm_readv": (310, 1, 0, 0, 0, 0, 0) if x86 else (270, 1, 0, 0, 0, 0, 0),
    "reboot": (169, 0, 0, 0, 0) if x86 else (142, 0, 0, 0, 0),
    "forget the parent's death": (157, 1, 0, 0, 0, 0) if x86 else (167, 1, 0, 0, 0, 0),
    "x32 fork": (0x40000000 | 57,),
}
{name: errno_of(*call) for name, call in calls.items()}
"""
    found = await bench.value(code)
    assert set(found.values()) == {1}, found


_EVERY_NUMBER = """
import ctypes, errno
libc = ctypes.CDLL(None, use_errno=True)
# Never what is allowed: it would be done. Arguments that no call could make sense of.
numbers = set(range(600)) - set({allowed!r})
passed = {{}}
for number in sorted(numbers):
    ctypes.set_errno(0)
    libc.syscall(number, -1, -1, -1, -1, -1, -1)
    if ctypes.get_errno() not in (errno.EPERM, errno.ENOSYS, errno.ENOTSUP):
        passed[number] = ctypes.get_errno()
passed
"""


async def test_no_number_outside_the_list_reaches_the_kernel(bench: Bench) -> None:
    column = list(ARCHITECTURES).index(platform.machine())
    # The kernel lets these two pass every filter: they work only in code it wrote itself.
    traps = ("uprobe", "uretprobe")
    allowed = [SYSCALLS[name][column] for name in (*ALLOWED, *CONDITIONAL, *traps)]
    assert await bench.value(_EVERY_NUMBER.format(allowed=allowed)) == {}


@pytest.mark.parametrize(
    "code",
    [
        "import fcntl\nfcntl.fcntl(a, fcntl.F_SETOWN, os.getppid())",
        "import fcntl, struct\nfcntl.fcntl(a, 15, struct.pack('ii', 1, os.getppid()))",
        "import fcntl, signal\nfcntl.fcntl(a, 10, signal.SIGKILL)",
        "import fcntl\nfcntl.fcntl(a, fcntl.F_SETFL, os.O_NONBLOCK | os.O_ASYNC)",
        "import fcntl\nfcntl.ioctl(a, 0x5452, (1).to_bytes(4, 'little'))",
        "import fcntl\nfcntl.ioctl(a, 0x8901, os.getppid().to_bytes(4, 'little'))",
        "import fcntl\nfcntl.ioctl(a, 0x8902, os.getppid().to_bytes(4, 'little'))",
        "import fcntl\nfcntl.fcntl(open('f', 'w'), fcntl.F_SETLEASE, fcntl.F_WRLCK)",
    ],
)
async def test_no_file_can_be_made_to_signal_another_process(bench: Bench, code: str) -> None:
    await refused(bench, f"import os, socket\na, b = socket.socketpair()\n{code}")


async def test_a_file_that_signals_does_not_end_the_daemon(bench: Bench) -> None:
    """Run the whole attack on a process that it would kill: none of its steps may succeed."""
    target = await asyncio.create_subprocess_exec(sys.executable, "-c", "input()", stdin=-1)
    code = f"""
import fcntl, os, signal, socket, struct
a, b = socket.socketpair()
for command, value in ((8, {target.pid}), (15, struct.pack("ii", 1, {target.pid})), (10, 9),
                       (4, os.O_ASYNC | os.O_NONBLOCK)):
    try:
        fcntl.fcntl(a, command, value)
    except PermissionError:
        pass
b.send(b"now")
"done"
"""
    try:
        assert await bench.value(code) == "done"
        assert target.returncode is None
    finally:
        target.kill()
        assert await target.wait() == -9


@pytest.mark.parametrize(
    "call",
    [
        "os.chmod(place, 0)",
        "os.chmod(os.open(place, os.O_PATH), 0)",
        "os.chown(place, os.getuid(), os.getgid())",
        "os.lchown(place, os.getuid(), os.getgid())",
        "os.utime(place, (1, 1))",
        "os.utime(os.path.join(place, 'private'), (1, 1))",
        "os.mkfifo(os.path.join(place, 'fifo'))",
        # Python's own files, which can be read: as they are, should this ever succeed.
        "os.chmod(os.__file__, os.stat(os.__file__).st_mode & 0o777)",
        "os.fchmod(os.open(os.__file__, os.O_RDONLY), os.stat(os.__file__).st_mode & 0o777)",
        "s = os.stat(os.__file__); os.utime(os.__file__, ns=(s.st_atime_ns, s.st_mtime_ns))",
    ],
)
async def test_modes_times_and_attributes_of_files_cannot_be_changed(
    bench: Bench, tmp_path: Path, call: str
) -> None:
    private = tmp_path / "private"
    private.write_text("secret", "utf-8")
    before = [(file.stat().st_mode, file.stat().st_mtime_ns) for file in (tmp_path, private)]
    await refused(bench, f"import os\nplace = {str(tmp_path)!r}\n{call}")
    assert before == [
        (file.stat().st_mode, file.stat().st_mtime_ns) for file in (tmp_path, private)
    ]


@pytest.mark.parametrize(
    "call",
    [
        "setxattr(place, 'user.x', b'1')",
        "getxattr(place, 'user.x')",
        "listxattr(place)",
        "removexattr(place, 'user.x')",
    ],
)
async def test_files_have_no_extended_attributes_here(
    bench: Bench, tmp_path: Path, call: str
) -> None:
    error = await bench.error(f"import os\nplace = {str(tmp_path)!r}\nos.{call}")
    assert "not supported" in error["message"]
    assert os.listxattr(tmp_path) == []


async def test_no_datagram_reaches_a_socket_by_its_path(bench: Bench, tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listening:
        path = str(tmp_path / "s")
        listening.bind(path)
        listening.setblocking(False)
        pair = "import socket\na, b = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)"
        await refused(bench, f"{pair}\na.sendto(b'x', {path!r})")
        stream = "import socket\na, b = socket.socketpair()"
        await refused(bench, f"{stream}\na.sendto(b'x', {path!r})")
        await refused(bench, f"{stream}\na.sendmsg([b'x'], [], 0, {path!r})")
        await refused(bench, f"{stream}\na.connect({path!r})")
        with pytest.raises(BlockingIOError):
            listening.recv(1)


@pytest.mark.parametrize("number", ["name_to_handle_at", "open_by_handle_at", "inotify_init1"])
async def test_files_are_not_reached_past_landlock(bench: Bench, number: str) -> None:
    column = list(ARCHITECTURES).index(platform.machine())
    code = (
        "import ctypes\nlibc = ctypes.CDLL(None, use_errno=True)\n"
        f"libc.syscall({SYSCALLS[number][column]}, 0, 0, 0, 0, 0)\nctypes.get_errno()"
    )
    assert await bench.value(code) == errno.EPERM


_EVERYDAY = {
    "copies": """
import shutil
Path("d").mkdir()
Path("d/f").write_text("x")
shutil.copy("d/f", "g"); shutil.copy2("d/f", "h"); shutil.copytree("d", "e"); shutil.move("h", "i")
Path("i").touch()
[Path(p).read_text() for p in ("g", "i", "e/f")] == ["x"] * 3
""",
    "archives": """
import tarfile, zipfile
Path("f").write_text("x" * 1000)
with zipfile.ZipFile("z.zip", "w", zipfile.ZIP_DEFLATED) as made: made.write("f")
with tarfile.open("t.tar.gz", "w:gz") as made: made.add("f")
zipfile.ZipFile("z.zip").extractall("a"); tarfile.open("t.tar.gz").extractall("b")
Path("a/f").read_text() == Path("b/f").read_text() == "x" * 1000
""",
    "a database": """
import sqlite3
with sqlite3.connect("db") as db:
    db.execute("pragma journal_mode=wal")
    db.execute("create table t (n)")
    db.executemany("insert into t values (?)", [(n,) for n in range(1000)])
db.execute("select sum(n) from t").fetchone() == (499500,)
""",
    "pictures": """
import io
from PIL import Image, ImageDraw
picture = Image.new("RGB", (200, 100), "red")
ImageDraw.Draw(picture).text((5, 5), "hello")
picture.resize((20, 10)).save("p.png"); picture.save("p.jpg")
Image.open("p.png").size == (20, 10)
""",
    "threads, pools and queues": """
import queue, threading
from concurrent.futures import ThreadPoolExecutor
with ThreadPoolExecutor(8) as pool:
    total = sum(pool.map(lambda n: n * n, range(100)))
total == 328350
""",
    "asyncio": """
import asyncio
async def main():
    await asyncio.sleep(0.01)
    return await asyncio.gather(asyncio.to_thread(lambda: 1), asyncio.sleep(0.01, 2))
asyncio.run(main()) == [1, 2]
""",
    "temporary files": """
import tempfile, mmap
with tempfile.TemporaryDirectory() as place, tempfile.TemporaryFile() as file:
    Path(place, "x").write_text("x")
    file.write(b"y" * 4096); file.flush()
    mapped = mmap.mmap(file.fileno(), 4096)[:1]
mapped == b"y"
""",
    "the rest of the library": """
import csv, decimal, hashlib, logging, os, platform, random, resource, secrets, signal, subprocess
import time, urllib.parse, uuid, xml.etree.ElementTree, email.message, getpass, locale, select
signal.signal(signal.SIGALRM, lambda *_: None); signal.setitimer(signal.ITIMER_REAL, 0.01)
time.sleep(0.02)
resource.getrlimit(resource.RLIMIT_NOFILE)[0] == 64 and os.cpu_count() > 0 and bool(
    platform.platform() and os.get_terminal_size and time.strftime("%Z") and uuid.uuid4())
""",
}


@pytest.mark.parametrize("what", _EVERYDAY)
async def test_everyday_code_works(bench: Bench, what: str) -> None:
    assert await bench.value(_EVERYDAY[what]) is True


async def test_root_has_no_rights_of_root_left(bench: Bench) -> None:
    code = """
import ctypes
data = (ctypes.c_uint32 * 6)()
header = (ctypes.c_uint32 * 2)(0x20080522, 0)
ctypes.CDLL(None).capget(header, data)
list(data)
"""
    assert await bench.value(code) == [0] * 6


async def test_the_environment_of_the_daemon_is_not_there_not_even_in_memory(
    bench: Bench,
) -> None:
    code = """
import ctypes, os
block = ctypes.POINTER(ctypes.c_char_p).in_dll(ctypes.CDLL(None), "environ")
found = []
while block and block[len(found)]:
    found.append(block[len(found)].decode())
[sorted(os.environ), [entry.split("=")[0] for entry in found]]
"""
    names, raw = await bench.value(code)
    allowed = {"HOME", "LANG", "TMPDIR", "TZ", "LC_ALL", "LC_CTYPE", "LD_LIBRARY_PATH"}
    assert set(names) <= allowed
    assert set(raw) <= allowed


async def test_only_its_own_lines_are_open(bench: Bench) -> None:
    code = """
import os
found = []
for fd in range(64):
    try:
        os.fstat(fd)
    except OSError:
        continue
    found.append(fd)
found
"""
    assert await bench.value(code) == [0, 1, 2, 3, 4]


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("x = bytearray(4 << 30)", "MemoryError"),
        ("open('big', 'wb').write(b'x' * (80 << 20))", "OSError"),
        ("files = [open(f'f{i}', 'w') for i in range(100)]", "OSError"),
    ],
)
async def test_limits_hold(bench: Bench, code: str, kind: str) -> None:
    assert (await bench.error(code))["kind"] == kind


_TOO_MUCH = {
    "bytes": "for n in range(100): open(f'f{n}', 'wb').write(b'x' * (60 << 20))",
    "bytes of files that were removed and are open": """
import os
kept = []
for n in range(50):
    kept.append(os.open("f", os.O_CREAT | os.O_WRONLY))
    os.write(kept[-1], b"x" * (60 << 20))
    os.unlink("f")
""",
    "bytes of files that were removed and are mapped": """
import mmap, os
kept = []
for n in range(50):
    with open("f", "w+b") as file:
        file.write(b"x" * (60 << 20))
        kept.append(mmap.mmap(file.fileno(), 4096))
    os.unlink("f")
""",
    "files": "for n in range(20_000): open(f'f{n}', 'w').close()",
    "directories": "import os\nfor n in range(20_000): os.mkdir(f'd{n}')",
    "links": "import os\nfor n in range(20_000): os.symlink('x' * 3000, f'f{n}')",
}


@pytest.mark.parametrize("what", _TOO_MUCH)
async def test_the_scratch_directory_has_an_end(bench: Bench, what: str) -> None:
    error = await bench.error(_TOO_MUCH[what])
    assert "No space left" in error["message"]
    assert "the scratch directory holds 256 MB in 10,000 files" in error["hint"]


async def test_nobody_else_sees_the_scratch_directory(bench: Bench) -> None:
    code = "open('private', 'w').write('x')\ntab.title()\nPath('private').exists()"

    async def look() -> list[str]:
        return [str(found) for found in bench.root.glob("*/*")]

    answered: list[list[str]] = []

    async def title() -> str:
        answered.append(await look())
        return ""

    assert await bench.value(code, {"tab.title": title}) is True
    assert answered == [[]]


async def test_a_run_stands_back_behind_everybody_else(bench: Bench) -> None:
    code = "import os\nos.getpriority(os.PRIO_PROCESS, 0)"
    assert await bench.value(code) == min(os.getpriority(os.PRIO_PROCESS, 0) + 10, 19)
    assert "PermissionError" in str(await bench.error("import os\nos.nice(-5)"))


async def test_threads_can_be_had_but_not_without_end(bench: Bench) -> None:
    code = """
import _thread, time
count = 0
try:
    # Not `threading`: its start() waits for ever for a thread that has no memory to begin with.
    while count < 10_000:
        _thread.start_new_thread(time.sleep, (60,))
        count += 1
except RuntimeError:
    pass
count
"""
    assert 20 <= await bench.value(code) < 1_000


# A process whose kernel seems to lack something: a filter answers "not known" for it.
_WITHOUT = """
import ctypes, struct, sys
from pathlib import Path
from pilothouse.code.sandbox.confinement import Limits, enter_sandbox
number, argument, scratch = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
lines = [
    (0x20, 0, 0, 0), (0x15, 0, 3, number),
    (0x20, 0, 0, 16), (0x15, 0, 1, argument),
    (0x06, 0, 0, 0x00050000 | 38), (0x06, 0, 0, 0x7FFF0000),
]
code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *line) for line in lines))
head = struct.pack("HxxxxxxP", len(lines), ctypes.addressof(code))
libc = ctypes.CDLL(None)
assert libc.prctl(38, 1, 0, 0, 0) == 0
assert libc.prctl(22, 2, ctypes.create_string_buffer(head), 0, 0) == 0
stand, missing = enter_sandbox(Path(scratch), Limits())
sys.stdout.write(" ".join(missing))
"""


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the numbers are x86_64's")
@pytest.mark.parametrize(
    ("number", "argument", "missing"),
    [
        pytest.param(444, 0, "files", id="no Landlock"),
        pytest.param(157, 22, "network processes", id="no seccomp"),
        pytest.param(157, 38, "privileges network processes", id="no giving up of privileges"),
        pytest.param(1 << 30, 0, "", id="nothing amiss"),
    ],
)
async def test_walls_that_cannot_be_had_are_named(
    tmp_path: Path, number: int, argument: int, missing: str
) -> None:
    command = [sys.executable, "-c", _WITHOUT, str(number), str(argument), str(tmp_path)]
    process = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
    async with asyncio.timeout(PATIENCE_S):
        output, _ = await process.communicate()
    assert process.returncode == 0
    assert output.decode() == missing


_SIGNALS = """
import ctypes, os, sys
from pathlib import Path
from pilothouse.code.sandbox import confinement
libc = ctypes.CDLL(None, use_errno=True)
version = libc.syscall(444, None, 0, 1)
assert libc.prctl(38, 1, 0, 0, 0) == 0
assert confinement._landlock(libc, Path(sys.argv[1]))
try:
    os.kill(os.getppid(), 0)
    sys.stdout.write(f"{version} sent")
except PermissionError:
    sys.stdout.write(f"{version} refused")
"""


async def test_landlock_refuses_signals_even_without_seccomp(tmp_path: Path) -> None:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", _SIGNALS, str(tmp_path), stdout=asyncio.subprocess.PIPE
    )
    async with asyncio.timeout(PATIENCE_S):
        output, _ = await process.communicate()
    version, result = output.decode().split()
    # Kernels before 6.12 cannot; there seccomp is alone.
    assert result == ("refused" if int(version) >= 6 else "sent")


async def test_off_line_there_is_no_network_even_without_seccomp(tmp_path: Path) -> None:
    code = (
        "import sys\nfrom pilothouse.code.sandbox.confinement import leave_network\n"
        "import socket\nassert leave_network()\n"
        "s = socket.socket()\ns.settimeout(5)\n"
        "sys.stdout.write(str(s.connect_ex(('127.0.0.1', 9))))"
    )
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", code, stdout=asyncio.subprocess.PIPE
    )
    async with asyncio.timeout(PATIENCE_S):
        output, _ = await process.communicate()
    assert int(output) == errno.ENETUNREACH
