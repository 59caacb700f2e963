# Fibers for gdb: the program's threads, each with its own stack in one thread of the system.
#
# The runtime says in `dpor_debug` where each fiber is suspended (runtime/engine/src/debugger.rs;
# the words and their order are there), and stands in one of its functions `dpor_debug_*` whenever we
# stop. To gdb it then looks as if the fiber that was chosen had called that function: an unwinder says
# so. No register is changed, so that the program goes on as it would whatever is looked at.

import re
import struct

import gdb
import gdb.unwinder
from gdb.FrameDecorator import FrameDecorator

from dpor_gdb.stacks import first_of_user

VERSION = 1
WORDS = 9
NEVER = 2**64 - 1
STOP_AT = 4

# A suspended context, from its stack pointer up (runtime/machine/src/fiber/x86_64.rs). The word
# before these is the floating-point control, the one behind them the return address.
REGISTERS = ("r15", "r14", "r13", "r12", "rbx", "rbp")

RUNTIME = "libdpor_rt.so"


class Unknown(gdb.GdbError):
    """What cannot be answered, as one sentence."""


def address_of(symbol):
    """Address of a symbol of the runtime; None before it is loaded."""
    # The language of where the program stands may have other words for it.
    command = f"with language c -- output/d (unsigned long) &{symbol}"
    try:
        said = gdb.execute(command, to_string=True)
    except gdb.error:
        return None
    # Behind the number it may say that the languages differ.
    return int(re.match(r"\d+", said).group())


def words(address, count):
    """`count` words of 8 bytes from memory."""
    bytes_read = gdb.selected_inferior().read_memory(address, 8 * count)
    return struct.unpack(f"<{count}Q", bytes(bytes_read))


class State:
    """What the runtime says at a stop."""

    def __init__(self):
        address = address_of("dpor_debug")
        if address is None or gdb.selected_inferior().pid == 0:
            raise Unknown("the program does not run")
        said = words(address, WORDS)
        if said[0] == 0:
            raise Unknown("the replay has not begun")
        if said[0] != VERSION:
            raise Unknown(f"the program's runtime is of another version ({said[0]}, not {VERSION})")
        _, self.position, self.thread, running, _, live, contexts, stride, count = said
        # A word of all ones: no step was made yet.
        self.position = 0 if self.position == NEVER else self.position
        self.running = running - 1 if running else None
        exist = words(live, (count + 63) // 64)
        self.threads = [t for t in range(count) if exist[t // 64] >> t % 64 & 1]
        self._contexts = contexts
        self._stride = stride

    def registers(self, thread):
        """The registers with which a suspended fiber goes on."""
        (pointer,) = words(self._contexts + thread * self._stride, 1)
        saved = words(pointer + 8, len(REGISTERS) + 1)
        registers = dict(zip(REGISTERS, saved))
        registers["rip"] = saved[-1]
        registers["rsp"] = pointer + 8 * (len(REGISTERS) + 2)
        return registers


def set_stop_at(position):
    """Before which step (or a later one) the runtime is to stop."""
    data = struct.pack("<Q", position)
    gdb.selected_inferior().write_memory(address_of("dpor_debug") + 8 * STOP_AT, data)


MARKS = ("begin", "event", "finding", "end")


def mark():
    """At which of the runtime's marks the program stands; None elsewhere."""
    try:
        pc = gdb.newest_frame().pc()
    except gdb.error:
        return None
    for name in MARKS:
        start = address_of(f"dpor_debug_{name}")
        # Each is one instruction and a return.
        if start is not None and start <= pc < start + 8:
            return name
    return None


class Chosen(gdb.unwinder.Unwinder):
    """Behind the newest frame comes the fiber that was chosen."""

    def __init__(self):
        super().__init__("dpor fibers")
        self.registers = None
        self.place = None

    def choose(self, registers):
        """Shows the stack with these registers; None: the one that runs."""
        self.registers = None
        gdb.invalidate_cached_frames()
        if registers is not None:
            newest = gdb.newest_frame()
            self.place = (newest.pc(), int(newest.read_register("rsp")))
            self.registers = registers
        gdb.invalidate_cached_frames()

    def __call__(self, frame):
        if self.registers is None:
            return None
        pc = frame.read_register("rip")
        pointer = frame.read_register("rsp")
        if (int(pc), int(pointer)) != self.place:
            return None
        found = frame.create_unwind_info(FrameId(pointer, pc))
        for name, value in self.registers.items():
            kind = frame.read_register(name).type
            found.add_saved_register(name, gdb.Value(value).cast(kind))
        return found


class FrameId:
    """How gdb tells frames apart."""

    def __init__(self, sp, pc):
        self.sp = sp
        self.pc = pc


def is_own(frame):
    """Whether a frame is of the checker, or of libc's way into it."""
    name = gdb.solib_name(frame.pc())
    return name is not None and name.endswith(RUNTIME)


class WithoutRuntime:
    """`bt` does not show the checker's frames (`bt -no-filters` does)."""

    def __init__(self):
        self.name = "dpor"
        self.priority = 50
        self.enabled = True
        gdb.frame_filters[self.name] = self

    def filter(self, frames):
        """The others, with the numbers that they have."""
        return (frame for frame in frames if not is_own(FrameDecorator(frame).inferior_frame()))


CHOSEN = Chosen()
gdb.unwinder.register_unwinder(None, CHOSEN, replace=True)
WithoutRuntime()


def show_stack(state, thread):
    """Shows a thread's stack; its innermost frame of the program, or None."""
    suspended = state.running != thread
    CHOSEN.choose(state.registers(thread) if suspended else None)
    frame = gdb.newest_frame()
    while frame is not None and is_own(frame):
        frame = frame.older()
    return frame


def select(state, thread):
    """Makes a thread's innermost frame of the user's, or else of the program, the selected one; the frame, or None."""
    innermost = show_stack(state, thread)
    frame = first_of_user(innermost) or innermost
    # Until its first instruction a thread has no frame of the program.
    (frame or gdb.newest_frame()).select()
    return frame
