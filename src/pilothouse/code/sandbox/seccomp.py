"""Which system calls a worker may make, as a filter the kernel runs. Pure.

The filter is an allow list: files, memory, threads, time, signals within the process, as far as
Python and libraries like numpy, Pillow and sqlite need them. It refuses calls that create or reach
processes, open sockets, change file permissions, allocate memory outside the limits or administer
the machine, and every call that a newer kernel adds. Landlock controls which files can be opened,
but not their modes, times and attributes: this filter refuses changes of those for all files.

Knows: names of system calls, their arguments, classic BPF. Must not know: how to install a filter.
"""

from __future__ import annotations

from collections.abc import Mapping

from pilothouse.code.sandbox.syscalls import SYSCALLS

__all__ = ["ALLOWED", "ARCHITECTURES", "CONDITIONAL", "REFUSED", "make_filter"]

ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}

BpfInstruction = tuple[int, int, int, int]

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

# Allowed or refused depending on their arguments (_RULES).
CONDITIONAL = frozenset(("clone", "fcntl", "ioctl", "prctl", "prlimit64", "sendto", "socketpair"))

_EPERM, _ENOSYS, _ENOTSUP = (0x00050000 | number for number in (1, 38, 95))

# Refused calls in groups, with the reason, and the errno that they return.
_REFUSED_GROUPS = {
    # Create processes or run programs.
    "fork vfork execve execveat unshare setns personality uselib": _EPERM,
    # Its flags are in memory, where a filter cannot check them; ENOSYS makes libc use clone.
    "clone3": _ENOSYS,
    # Signal, read, reprioritize or regroup other processes. (Since Linux 6.14 uprobe and uretprobe
    # pass every filter; they fail outside of the trampoline that the kernel wrote.)
    "kill tkill tgkill rt_sigqueueinfo rt_tgsigqueueinfo pidfd_open pidfd_getfd pidfd_send_signal "
    "ptrace kcmp process_vm_readv process_vm_writev process_madvise process_mrelease "
    "perf_event_open setpriority sched_setaffinity sched_setscheduler sched_setparam "
    "sched_setattr ioprio_set ioprio_get migrate_pages move_pages get_robust_list "
    "setpgid setsid uprobe uretprobe": _EPERM,
    # Change its own limits or identity.
    "setrlimit setuid setgid setreuid setregid setresuid setresgid setfsuid setfsgid setgroups "
    "capset seccomp landlock_create_ruleset landlock_add_rule landlock_restrict_self "
    "lsm_get_self_attr lsm_set_self_attr lsm_list_modules": _EPERM,
    # Use the network, send to sockets by path, or pass descriptors.
    "socket connect accept accept4 bind listen sendmsg sendmmsg recvmsg recvmmsg "
    "setsockopt": _EPERM,
    # Let the kernel act on its behalf, past this filter.
    "io_uring_setup io_uring_enter io_uring_register bpf io_setup io_destroy io_submit io_cancel "
    "io_getevents io_pgetevents": _EPERM,
    # Change modes, owners and times of files, which Landlock does not control.
    "chmod fchmod fchmodat fchmodat2 chown fchown lchown fchownat utime utimes futimesat "
    "utimensat file_getattr file_setattr": _EPERM,
    # Extended attributes. ENOTSUP, because programs that copy files handle it.
    "setxattr lsetxattr fsetxattr getxattr lgetxattr fgetxattr listxattr llistxattr flistxattr "
    "removexattr lremovexattr fremovexattr setxattrat getxattrat listxattrat "
    "removexattrat": _ENOTSUP,
    # Reach files past Landlock: by handle, as device nodes, or by watching a directory.
    "name_to_handle_at open_by_handle_at mknod mknodat inotify_init inotify_init1 "
    "inotify_add_watch inotify_rm_watch fanotify_init fanotify_mark lookup_dcookie": _EPERM,
    # Does what openat does; callers fall back to that on ENOSYS.
    "openat2": _ENOSYS,
    # Allocate memory outside the limits, or that outlives the process.
    "memfd_create memfd_secret userfaultfd shmget shmat shmctl shmdt semget semop semctl "
    "semtimedop msgget msgsnd msgrcv msgctl mq_open mq_unlink mq_timedsend mq_timedreceive "
    "mq_notify mq_getsetattr keyctl add_key request_key mlock mlock2 mlockall munlock munlockall "
    "splice tee vmsplice remap_file_pages": _EPERM,
    # NUMA policies, protection keys, shadow stacks: Python does not need them.
    "mbind set_mempolicy get_mempolicy set_mempolicy_home_node pkey_alloc pkey_free "
    "pkey_mprotect map_shadow_stack mseal cachestat modify_ldt arch_prctl set_thread_area "
    "get_thread_area": _EPERM,
    # Mount file systems, or sync all disks.
    "mount umount2 pivot_root chroot open_tree open_tree_attr move_mount fsopen fsconfig fsmount "
    "fspick mount_setattr statmount listmount listns quotactl quotactl_fd sync syncfs "
    "sync_file_range sysfs ustat": _EPERM,
    # Administer the machine.
    "init_module finit_module delete_module kexec_load kexec_file_load reboot swapon swapoff acct "
    "syslog vhangup settimeofday clock_settime clock_adjtime adjtimex sethostname setdomainname "
    "iopl ioperm": _EPERM,
    # Numbers without an implementation.
    "_sysctl afs_syscall create_module epoll_ctl_old epoll_wait_old get_kernel_syms getpmsg "
    "nfsservctl putpmsg query_module security tuxcall vserver": _ENOSYS,
}  # fmt: skip

REFUSED: Mapping[str, int] = {
    name: result for names, result in _REFUSED_GROUPS.items() for name in names.split()
}

# Numbers with this bit are the x32 calls of x86_64: refused, or they would bypass the list.
_X32 = 0x40000000

_LOAD, _EQUALS, _AT_LEAST, _HAS_BITS, _AND, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x54, 0x06
_ALLOW, _KILL = 0x7FFF0000, 0x80000000
_NUMBER, _ARCHITECTURE = 0, 4
_YES, _NO = (_RETURN, 0, 0, _ALLOW), (_RETURN, 0, 0, _EPERM)

_CLONE_THREAD = 0x10000
# New namespaces, and the ptrace flags.
_CLONE_NEVER = 0x7E020000 | 0x00802000
_FIONBIO, _FIONREAD, _FIOCLEX, _FIONCLEX = 0x5421, 0x541B, 0x5451, 0x5450
_TCGETS, _TIOCGWINSZ, _FICLONE = 0x5401, 0x5413, 0x40049409
_GET_DUMPABLE, _SET_NAME, _GET_NAME, _CAPBSET_READ, _GET_NO_NEW_PRIVS = 3, 15, 16, 23, 39
_SET_VMA = 0x53564D41
# Allows dup, descriptor and file flags, locks, dup with close-on-exec, and pipe sizes. Refuses
# signals about a file (F_SETOWN, F_SETSIG), leases and seals.
_FCNTL = (0, 1, 2, 3, 5, 6, 7, 36, 37, 38, 1030, 1032)
_F_SETFL, _O_ASYNC = 4, 0x2000
_AF_UNIX, _SOCK_STREAM, _SOCKET_TYPE = 1, 1, 0xF


def _argument(index: int, *, high: bool = False) -> BpfInstruction:
    """Load the lower half of an argument, or the upper one: most arguments have 32 bits."""
    return (_LOAD, 0, 0, 16 + 8 * index + (4 if high else 0))


def _one_of(*values: int) -> list[BpfInstruction]:
    """Allow these values of the loaded word, refuse others."""
    allowed = [instruction for value in values for instruction in ((_EQUALS, 0, 1, value), _YES)]
    return [*allowed, _NO]


def _zero(index: int) -> list[BpfInstruction]:
    """Continue if all 64 bits of an argument are zero, else refuse."""
    halves = (_argument(index), _argument(index, high=True))
    return [instruction for half in halves for instruction in (half, (_EQUALS, 1, 0, 0), _NO)]


_RULES: dict[str, list[BpfInstruction]] = {
    # Allow threads, not processes.
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
    # Not FIOASYNC, FIOSETOWN and SIOCSPGRP: they send signals about a file to other processes.
    "ioctl": [
        _argument(1),
        *_one_of(_FIONBIO, _FIONREAD, _FIOCLEX, _FIONCLEX, _TCGETS, _TIOCGWINSZ, _FICLONE),
    ],
    # Not PR_SET_PDEATHSIG (outlive the parent) or PR_SET_DUMPABLE (allow others to read it).
    "prctl": [
        _argument(0),
        *_one_of(_SET_NAME, _GET_NAME, _GET_DUMPABLE, _CAPBSET_READ, _GET_NO_NEW_PRIVS, _SET_VMA),
    ],
    # Read its own limits: no new limit (argument 2), and no other process (argument 0).
    "prlimit64": [*_zero(2), _argument(0), *_one_of(0)],
    # Only to the connected peer: no address (argument 4).
    "sendto": [*_zero(4), _YES],
    # Only stream sockets: a datagram socket could send to any path.
    "socketpair": [
        _argument(0),
        (_EQUALS, 1, 0, _AF_UNIX),
        _NO,
        _argument(1),
        (_AND, 0, 0, _SOCKET_TYPE),
        *_one_of(_SOCK_STREAM),
    ],
}


def make_filter(machine: str) -> list[BpfInstruction]:
    """Build the filter for one of ARCHITECTURES. An instruction is (code, jump if true, jump if
    false, operand)."""
    column = list(ARCHITECTURES).index(machine)
    instructions = [
        (_LOAD, 0, 0, _ARCHITECTURE),
        (_EQUALS, 1, 0, ARCHITECTURES[machine]),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _NUMBER),
        (_AT_LEAST, 0, 1, _X32),
        _NO,
    ]
    for name, numbers in sorted(SYSCALLS.items()):
        number = numbers[column]
        if number < 0:
            continue
        if name in ALLOWED:
            instructions += [(_EQUALS, 0, 1, number), _YES]
        elif name in _RULES:
            rule = _RULES[name]
            instructions += [(_EQUALS, 0, len(rule), number), *rule]
        else:
            instructions += [(_EQUALS, 0, 1, number), (_RETURN, 0, 0, REFUSED[name])]
    # Calls that a newer kernel adds do not exist for the worker.
    return [*instructions, (_RETURN, 0, 0, _ENOSYS)]
