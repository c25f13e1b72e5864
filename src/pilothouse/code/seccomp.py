"""Which system calls a worker is refused, as a filter the kernel runs. Pure.

Knows: numbers of system calls, Berkeley packet filters. Must not know: how a filter is set up.
Refused is what makes processes, reaches other processes, opens sockets, takes memory the limits
do not count, or administers the machine. Threads are allowed.
"""

from __future__ import annotations

__all__ = ["ARCHITECTURES", "make_filter"]

ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}

Line = tuple[int, int, int, int]

# Name: its number on x86_64, and on aarch64 (0: not there).
REFUSED: dict[str, tuple[int, int]] = {
    # Processes and programs.
    "fork": (57, 0), "vfork": (58, 0), "execve": (59, 221), "execveat": (322, 281),
    "unshare": (272, 97), "setns": (308, 268), "personality": (135, 92),
    # Others: their life, their memory, their speed.
    "kill": (62, 129), "tkill": (200, 130), "tgkill": (234, 131),
    "rt_sigqueueinfo": (129, 138), "rt_tgsigqueueinfo": (297, 240),
    "pidfd_open": (434, 434), "pidfd_getfd": (438, 438), "pidfd_send_signal": (424, 424),
    "ptrace": (101, 117), "kcmp": (312, 272), "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271), "process_madvise": (440, 440),
    "process_mrelease": (448, 448), "perf_event_open": (298, 241),
    "setrlimit": (160, 164), "prlimit64": (302, 261), "setpriority": (141, 140),
    "sched_setaffinity": (203, 122), "sched_setscheduler": (144, 119),
    "sched_setparam": (142, 118), "sched_setattr": (314, 274), "ioprio_set": (251, 30),
    "migrate_pages": (256, 238), "move_pages": (279, 239),
    # The network, and calls made in the kernel's name.
    "socket": (41, 198), "io_uring_setup": (425, 425), "bpf": (321, 280),
    # Memory outside the limits, or that outlives the process.
    "memfd_create": (319, 279), "memfd_secret": (447, 447), "userfaultfd": (323, 282),
    "shmget": (29, 194), "semget": (64, 190), "msgget": (68, 186), "mq_open": (240, 180),
    "keyctl": (250, 219), "add_key": (248, 217), "request_key": (249, 218),
    # File systems.
    "mount": (165, 40), "umount2": (166, 39), "pivot_root": (155, 41), "chroot": (161, 51),
    "open_tree": (428, 428), "move_mount": (429, 429), "fsopen": (430, 430),
    "fsconfig": (431, 431), "fsmount": (432, 432), "fspick": (433, 433),
    "mount_setattr": (442, 442), "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265), "fanotify_init": (300, 262),
    "quotactl": (179, 60), "quotactl_fd": (443, 443),
    # The machine.
    "init_module": (175, 105), "finit_module": (313, 273), "delete_module": (176, 106),
    "kexec_load": (246, 104), "kexec_file_load": (320, 294), "reboot": (169, 142),
    "swapon": (167, 224), "swapoff": (168, 225), "acct": (163, 89), "syslog": (103, 116),
    "vhangup": (153, 58), "settimeofday": (164, 170), "clock_settime": (227, 112),
    "clock_adjtime": (305, 266), "adjtimex": (159, 171), "sethostname": (170, 161),
    "setdomainname": (171, 162), "iopl": (172, 0), "ioperm": (173, 0),
}  # fmt: skip

_CLONE = (56, 220)
_PRCTL = (157, 167)
_CLONE3 = 435
_CLONE_THREAD = 0x10000
_PR_SET_PDEATHSIG = 1
# Numbers with this bit are x86_64's second set, which would go round the list.
_X32 = 0x40000000

_LOAD, _EQUALS, _AT_LEAST, _HAS_BITS, _ANSWER = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _KILL = 0x7FFF0000, 0x80000000
_EPERM, _ENOSYS = 0x00050000 | 1, 0x00050000 | 38
_NUMBER, _ARCHITECTURE, _FIRST_ARGUMENT = 0, 4, 16


def make_filter(machine: str) -> list[Line]:
    """The filter for one of ARCHITECTURES: lines of code, jump if true, jump if false, operand."""
    column = list(ARCHITECTURES).index(machine)
    lines = [
        (_LOAD, 0, 0, _ARCHITECTURE),
        (_EQUALS, 1, 0, ARCHITECTURES[machine]),
        (_ANSWER, 0, 0, _KILL),
        (_LOAD, 0, 0, _NUMBER),
        (_AT_LEAST, 0, 1, _X32),
        (_ANSWER, 0, 0, _EPERM),
        # The newer clone hides its flags in memory; "not known" makes the C library use the older.
        (_EQUALS, 0, 1, _CLONE3),
        (_ANSWER, 0, 0, _ENOSYS),
        (_EQUALS, 0, 4, _CLONE[column]),
        (_LOAD, 0, 0, _FIRST_ARGUMENT),
        (_HAS_BITS, 1, 0, _CLONE_THREAD),
        (_ANSWER, 0, 0, _EPERM),
        (_ANSWER, 0, 0, _ALLOW),
        # A worker must die with the process it was forked from: it may not call that off.
        (_EQUALS, 0, 4, _PRCTL[column]),
        (_LOAD, 0, 0, _FIRST_ARGUMENT),
        (_EQUALS, 0, 1, _PR_SET_PDEATHSIG),
        (_ANSWER, 0, 0, _EPERM),
        (_ANSWER, 0, 0, _ALLOW),
    ]
    for numbers in REFUSED.values():
        if numbers[column]:
            lines += [(_EQUALS, 0, 1, numbers[column]), (_ANSWER, 0, 0, _EPERM)]
    return [*lines, (_ANSWER, 0, 0, _ALLOW)]
