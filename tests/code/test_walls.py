"""Each wall, proved from behind it."""

from __future__ import annotations

import asyncio
import errno
import os
import platform
import sys
from pathlib import Path

import pytest

from pilothouse.code.walls import WALLS
from tests.code.running import PATIENCE_S, Bench

pytestmark = [
    pytest.mark.boundary,
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.skipif(sys.platform != "linux", reason="these walls are Linux's"),
]

REFUSED = ("PermissionError", "OSError", "URLError", "gaierror")


async def refused(bench: Bench, code: str) -> None:
    error = await bench.error(code)
    assert error["kind"] in REFUSED, error
    assert "scratch directory" in error["hint"]


async def test_every_wall_stands_here(bench: Bench) -> None:
    await bench.value("1")
    assert bench.runner.walls == {"stand": list(WALLS), "missing": []}


@pytest.mark.parametrize(
    "path", ["/etc/passwd", "/proc/self/environ", "/proc/1/cmdline", "/dev/shm", __file__]
)
async def test_files_outside_cannot_be_read(bench: Bench, path: str) -> None:
    assert (await bench.error(f"open({path!r}).read()"))["kind"] == "PermissionError"


async def test_a_file_of_the_house_cannot_be_read_or_written(bench: Bench, tmp_path: Path) -> None:
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


async def test_root_has_no_rights_of_root_left(bench: Bench) -> None:
    code = """
import ctypes
data = (ctypes.c_uint32 * 6)()
header = (ctypes.c_uint32 * 2)(0x20080522, 0)
ctypes.CDLL(None).capget(header, data)
list(data)
"""
    assert await bench.value(code) == [0] * 6


async def test_the_environment_of_the_house_is_not_there_not_even_in_memory(
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


async def test_a_run_stands_back_behind_everybody_else(bench: Bench) -> None:
    code = "import os\nos.getpriority(os.PRIO_PROCESS, 0)"
    assert await bench.value(code) == os.getpriority(os.PRIO_PROCESS, 0) + 10
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
from pilothouse.code.walls import Limits, raise_walls
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
stand, missing = raise_walls(Path(scratch), Limits())
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
        told, _ = await process.communicate()
    assert process.returncode == 0
    assert told.decode() == missing


async def test_off_line_there_is_no_network_even_without_seccomp(tmp_path: Path) -> None:
    code = (
        "import sys\nfrom pilothouse.code.walls import leave_network\n"
        "import socket\nassert leave_network()\n"
        "s = socket.socket()\ns.settimeout(5)\n"
        "sys.stdout.write(str(s.connect_ex(('127.0.0.1', 9))))"
    )
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", code, stdout=asyncio.subprocess.PIPE
    )
    async with asyncio.timeout(PATIENCE_S):
        told, _ = await process.communicate()
    assert int(told) == errno.ENETUNREACH
