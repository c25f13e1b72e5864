"""Which system calls a worker may make, as a filter the kernel runs. Pure.

An allow list: files, memory, threads, time, signals within the process, and what Python and
libraries like numpy, Pillow and sqlite use of them. What makes processes, reaches other
processes, opens sockets, changes who may read a file, takes memory the limits do not count or
administers the machine is refused, and so is every call that a newer kernel brings. Landlock
guards which files can be opened, but not their modes, times and attributes: those are refused
here for all files.

Knows: names of system calls, their arguments, Berkeley packet filters. Must not know: how a filter
is set up.
"""

from __future__ import annotations

from collections.abc import Mapping

from pilothouse.code.sandbox.syscalls import SYSCALLS

__all__ = ["ALLOWED", "ARCHITECTURES", "JUDGED", "REFUSED", "make_filter"]

ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}

DaemonClient = tuple[int, int, int, int]

_ALLOWED = """
    read write readv writev pread64 pwrite64 preadv pwritev preadv2 pwritev2 lseek close close_range
    open openat creat stat fstat lstat newfstatat statx access faccessat faccessat2 statfs fstatfs
    getdents getdents64 getcwd chdir fchdir readlink readlinkat umask
    rename renameat renameat2 mkdir mkdirat rmdir link linkat unlink unlinkat symlink symlinkat
    truncate ftruncate fallocate fsync fdatasync flock fadvise64 readahead sendfile copy_file_range
    dup dup2 dup3 pipe pipe2 poll ppoll select pselect6
    epoll_create epoll_create1 epoll_ctl epoll_wait epoll_pwait epoll_pwait2 eventfd eventfd2

    mmap mprotect munmap mremap msync mincore madvise brk membarrier

    recvfrom shutdown getsockname getpeername getsockopt

    exit exit_group wait4 waitid gettid set_tid_address restart_syscall rseq
    futex futex_waitv futex_wake futex_wait futex_requeue set_robust_list sched_yield
    rt_sigaction rt_sigprocmask rt_sigreturn rt_sigpending rt_sigtimedwait rt_sigsuspend
    sigaltstack signalfd signalfd4 pause

    time times gettimeofday clock_gettime clock_getres nanosleep clock_nanosleep
    alarm getitimer setitimer timerfd_create timerfd_settime timerfd_gettime
    timer_create timer_settime timer_gettime timer_getoverrun timer_delete

    getpid getppid getpgid getpgrp getsid getuid geteuid getgid getegid getresuid getresgid
    getgroups capget getrlimit getrusage getpriority getrandom getcpu uname sysinfo
    sched_getaffinity sched_getparam sched_getscheduler sched_getattr
    sched_get_priority_max sched_get_priority_min sched_rr_get_interval
"""
ALLOWED = frozenset(_ALLOWED.split())

# Allowed or refused by their arguments (below).
JUDGED = frozenset(("clone", "fcntl", "ioctl", "prctl", "prlimit64", "sendto", "socketpair"))

_EPERM, _ENOSYS, _ENOTSUP = (0x00050000 | number for number in (1, 38, 95))

# Refused, and how that is told. The reasons are by group.
_REFUSED_GROUPS = {
    # Processes and programs.
    "fork vfork execve execveat unshare setns personality uselib": _EPERM,
    # The newer clone hides its flags in memory; "not known" makes the C library use the older one.
    "clone3": _ENOSYS,
    # Others: their life, their memory, their speed, their groups. (Linux 6.14 and later let uprobe
    # and uretprobe pass every filter: they fail outside of code that the kernel wrote.)
    "kill tkill tgkill rt_sigqueueinfo rt_tgsigqueueinfo pidfd_open pidfd_getfd pidfd_send_signal "
    "ptrace kcmp process_vm_readv process_vm_writev process_madvise process_mrelease "
    "perf_event_open setpriority sched_setaffinity sched_setscheduler sched_setparam "
    "sched_setattr ioprio_set ioprio_get migrate_pages move_pages get_robust_list "
    "setpgid setsid uprobe uretprobe": _EPERM,
    # Its own limits and identity.
    "setrlimit setuid setgid setreuid setregid setresuid setresgid setfsuid setfsgid setgroups "
    "capset seccomp landlock_create_ruleset landlock_add_rule landlock_restrict_self "
    "lsm_get_self_attr lsm_set_self_attr lsm_list_modules": _EPERM,
    # The network, messages to sockets by path, descriptors sent to others.
    "socket connect accept accept4 bind listen sendmsg sendmmsg recvmsg recvmmsg "
    "setsockopt": _EPERM,
    # Calls made in the kernel's name.
    "io_uring_setup io_uring_enter io_uring_register bpf io_setup io_destroy io_submit io_cancel "
    "io_getevents io_pgetevents": _EPERM,
    # Modes, owners and times of files, which Landlock does not guard.
    "chmod fchmod fchmodat fchmodat2 chown fchown lchown fchownat utime utimes futimesat "
    "utimensat file_getattr file_setattr": _EPERM,
    # Their extended attributes: programs that copy files expect that there may be none.
    "setxattr lsetxattr fsetxattr getxattr lgetxattr fgetxattr listxattr llistxattr flistxattr "
    "removexattr lremovexattr fremovexattr setxattrat getxattrat listxattrat "
    "removexattrat": _ENOTSUP,
    # Files past Landlock: by handle, special ones, and who else uses a directory.
    "name_to_handle_at open_by_handle_at mknod mknodat inotify_init inotify_init1 "
    "inotify_add_watch inotify_rm_watch fanotify_init fanotify_mark lookup_dcookie": _EPERM,
    # Opens as openat does; whoever tries it first falls back.
    "openat2": _ENOSYS,
    # Memory outside the limits, or that outlives the process.
    "memfd_create memfd_secret userfaultfd shmget shmat shmctl shmdt semget semop semctl "
    "semtimedop msgget msgsnd msgrcv msgctl mq_open mq_unlink mq_timedsend mq_timedreceive "
    "mq_notify mq_getsetattr keyctl add_key request_key mlock mlock2 mlockall munlock munlockall "
    "splice tee vmsplice remap_file_pages": _EPERM,
    # Memory by node, key or shadow: nothing that Python needs.
    "mbind set_mempolicy get_mempolicy set_mempolicy_home_node pkey_alloc pkey_free "
    "pkey_mprotect map_shadow_stack mseal cachestat modify_ldt arch_prctl set_thread_area "
    "get_thread_area": _EPERM,
    # File systems, and the disk for everybody.
    "mount umount2 pivot_root chroot open_tree open_tree_attr move_mount fsopen fsconfig fsmount "
    "fspick mount_setattr statmount listmount listns quotactl quotactl_fd sync syncfs "
    "sync_file_range sysfs ustat": _EPERM,
    # The machine.
    "init_module finit_module delete_module kexec_load kexec_file_load reboot swapon swapoff acct "
    "syslog vhangup settimeofday clock_settime clock_adjtime adjtimex sethostname setdomainname "
    "iopl ioperm": _EPERM,
    # Numbers without a call behind them.
    "_sysctl afs_syscall create_module epoll_ctl_old epoll_wait_old get_kernel_syms getpmsg "
    "nfsservctl putpmsg query_module security tuxcall vserver": _ENOSYS,
}  # fmt: skip

REFUSED: Mapping[str, int] = {
    name: told for names, told in _REFUSED_GROUPS.items() for name in names.split()
}

# Numbers with this bit are x86_64's second set, which would go round the list.
_X32 = 0x40000000

_LOAD, _EQUALS, _AT_LEAST, _HAS_BITS, _AND, _ANSWER = 0x20, 0x15, 0x35, 0x45, 0x54, 0x06
_ALLOW, _KILL = 0x7FFF0000, 0x80000000
_NUMBER, _ARCHITECTURE = 0, 4
_YES, _NO = (_ANSWER, 0, 0, _ALLOW), (_ANSWER, 0, 0, _EPERM)

_CLONE_THREAD = 0x10000
# New namespaces, and being traced or not being traced by others.
_CLONE_NEVER = 0x7E020000 | 0x00802000
_FIONBIO, _FIONREAD, _FIOCLEX, _FIONCLEX = 0x5421, 0x541B, 0x5451, 0x5450
_TCGETS, _TIOCGWINSZ, _FICLONE = 0x5401, 0x5413, 0x40049409
_GET_DUMPABLE, _SET_NAME, _GET_NAME, _CAPBSET_READ, _GET_NO_NEW_PRIVS = 3, 15, 16, 23, 39
_SET_VMA = 0x53564D41
# dup, flags of the descriptor and of the file, locks, dup with close-on-exec, size of a pipe. Not:
# whom to signal about a file (F_SETOWN, F_SETSIG), leases, seals.
_FCNTL = (0, 1, 2, 3, 5, 6, 7, 36, 37, 38, 1030, 1032)
_F_SETFL, _O_ASYNC = 4, 0x2000
_AF_UNIX, _SOCK_STREAM, _SOCKET_TYPE = 1, 1, 0xF


def _argument(index: int, *, high: bool = False) -> DaemonClient:
    """Load half of an argument: the lower one is all there is of most."""
    return (_LOAD, 0, 0, 16 + 8 * index + (4 if high else 0))


def _one_of(*values: int) -> list[DaemonClient]:
    """Allow these values of what was loaded."""
    allowed = [line for value in values for line in ((_EQUALS, 0, 1, value), _YES)]
    return [*allowed, _NO]


def _zero(index: int) -> list[DaemonClient]:
    """Go on if an argument is zero in all its bits."""
    halves = (_argument(index), _argument(index, high=True))
    return [line for half in halves for line in (half, (_EQUALS, 1, 0, 0), _NO)]


_RULES: dict[str, list[DaemonClient]] = {
    # Threads, not processes.
    "clone": [
        _argument(0),
        (_HAS_BITS, 0, 1, _CLONE_NEVER),
        _NO,
        (_HAS_BITS, 0, 1, _CLONE_THREAD),
        _YES,
        _NO,
    ],
    "fcntl": [
        _argument(1),
        (_EQUALS, 0, 4, _F_SETFL),
        _argument(2),
        (_HAS_BITS, 0, 1, _O_ASYNC),
        _NO,
        _YES,
        *_one_of(*_FCNTL),
    ],
    # Not: FIOASYNC, FIOSETOWN and SIOCSPGRP, which say whom to signal about a file.
    "ioctl": [
        _argument(1),
        *_one_of(_FIONBIO, _FIONREAD, _FIOCLEX, _FIONCLEX, _TCGETS, _TIOCGWINSZ, _FICLONE),
    ],
    # Not: to outlive its parent, or to be looked into by others.
    "prctl": [
        _argument(0),
        *_one_of(_SET_NAME, _GET_NAME, _GET_DUMPABLE, _CAPBSET_READ, _GET_NO_NEW_PRIVS, _SET_VMA),
    ],
    # What are my limits? Nobody else's, and nothing is set.
    "prlimit64": [*_zero(2), _argument(0), *_one_of(0)],
    # Only to where the socket is connected.
    "sendto": [*_zero(4), _YES],
    # A datagram socket could be sent from to any path.
    "socketpair": [
        _argument(0),
        (_EQUALS, 1, 0, _AF_UNIX),
        _NO,
        _argument(1),
        (_AND, 0, 0, _SOCKET_TYPE),
        *_one_of(_SOCK_STREAM),
    ],
}


def make_filter(machine: str) -> list[DaemonClient]:
    """The filter for one of ARCHITECTURES: lines of code, jump if true, jump if false, operand."""
    column = list(ARCHITECTURES).index(machine)
    lines = [
        (_LOAD, 0, 0, _ARCHITECTURE),
        (_EQUALS, 1, 0, ARCHITECTURES[machine]),
        (_ANSWER, 0, 0, _KILL),
        (_LOAD, 0, 0, _NUMBER),
        (_AT_LEAST, 0, 1, _X32),
        _NO,
    ]
    for name, numbers in sorted(SYSCALLS.items()):
        number = numbers[column]
        if number < 0:
            continue
        if name in ALLOWED:
            lines += [(_EQUALS, 0, 1, number), _YES]
        elif name in _RULES:
            rule = _RULES[name]
            lines += [(_EQUALS, 0, len(rule), number), *rule]
        else:
            lines += [(_EQUALS, 0, 1, number), (_ANSWER, 0, 0, REFUSED[name])]
    # What a newer kernel brings is as if it were not there.
    return [*lines, (_ANSWER, 0, 0, _ENOSYS)]
