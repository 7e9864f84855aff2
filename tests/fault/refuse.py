"""A seccomp filter for a child to be: named system calls fail with an error, as in containers and hardened services."""
import ctypes
import errno
import struct

CALLS = {"io_uring_setup": 425, "io_uring_enter": 426, "io_uring_register": 427}  # the same on all Linux architectures
PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 38, 22, 2
LOAD_WORD, JUMP_EQUAL, RETURN = 0x20, 0x15, 0x06  # BPF_LD|BPF_W|BPF_ABS, BPF_JMP|BPF_JEQ|BPF_K, BPF_RET|BPF_K
ALLOW, FAIL = 0x7FFF0000, 0x00050000              # SECCOMP_RET_ALLOW, SECCOMP_RET_ERRNO


class Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.c_void_p)]


def instruction(code, jump_true, jump_false, value):
    return struct.pack("HBBI", code, jump_true, jump_false, value)


def refuse_calls(names, error=errno.EPERM):
    """For subprocess's preexec_fn. The number of the call stands first in what the filter is given."""
    numbers = [CALLS[name] for name in names]
    code = instruction(LOAD_WORD, 0, 0, 0)
    for i, number in enumerate(numbers):
        code += instruction(JUMP_EQUAL, len(numbers) - i, 0, number)
    code += instruction(RETURN, 0, 0, ALLOW) + instruction(RETURN, 0, 0, FAIL | error)
    storage = ctypes.create_string_buffer(code, len(code))
    program = Program(len(code) // 8, ctypes.cast(storage, ctypes.c_void_p))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) or libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(program), 0, 0):
        raise OSError(ctypes.get_errno(), "seccomp")
