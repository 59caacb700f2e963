# The commands `dpor …` for gdb, which move along the schedule of a finding.
#
# The schedule forces every run to be the same. So to go back is to run the program again, and to stop
# earlier (docs/decisions/0053-stepping-through-a-schedule.md).

import json
import os

import gdb

from dpor_gdb.fibers import CHOSEN, MARKS, NEVER, RUNTIME, State, Unknown, mark, select, set_stop_at, show_stack
from dpor_gdb.stacks import shown, stack

HELP = """Move along the schedule of the finding that is replayed.

dpor step [N]     go on to the next event, or the N-th from here
dpor back [N]     go back an event, or N (the program is run again)
dpor goto EVENT   go to the event with this number, before it happens
dpor finding      go to the finding
dpor where        the event that is next, and the calls of the thread that is shown, those of libraries folded
dpor where N      the calls of thread N
dpor threads      all threads: where in the user's code they are, what they do next or wait for
dpor thread N     show thread N: bt, up, print and others are about it from then on
dpor trace        all events of the schedule"""


class Schedule:
    """The finding, as the report has it."""

    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            finding = json.load(file)
        self.title = f"{finding['kind']}: {finding['message']}"
        # By their numbers in the execution; None in the place of those that the report leaves out.
        self.steps = []
        self.kept = []
        for step in finding["trace"]:
            self.steps += [None] * step.get("left_out", 0)
            self.kept.append(len(self.steps))
            self.steps.append(step)
        self.accesses = finding["accesses"]

    def number(self, position):
        """`event 3 of 7`."""
        return f"event {position + 1} of {len(self.steps)}"

    def line(self, position):
        """One event: thread, operation, object, place."""
        step = self.steps[position]
        if step is None:
            return "(left out of the report)"
        what = " ".join(filter(None, (step["operation"], step["object"])))
        if step["value"] is not None:
            what += f" = {step['value']}"
        return f"T{step['thread']}  {what}  {self.place(position)}  {readable(step['function'])}".rstrip()

    def place(self, position):
        """File and line of an event."""
        step = self.steps[position]
        return f"{shown(step['file'])}:{step['line']}" if step["file"] else "?"

    def wait(self, thread):
        """What a thread stands before for ever, and who holds it; empty if it does not."""
        for access in self.accesses:
            if access["thread"] != thread or not access.get("object"):
                continue
            words = f", before {access['access']} {access['object']}"
            if access.get("held_by") is not None:
                words += f", held by T{access['held_by']}"
            if access.get("held_since") is not None:
                words += f" since {self.place(self.kept[access['held_since']])}"
            return words
        return ""


def readable(function):
    """The name of a function as its source has it."""
    if not function.startswith("_"):
        return function
    try:
        return gdb.execute(f"demangle -- {function}", to_string=True).strip()
    except gdb.error:
        return function


class Run:
    """The program, and where it is to stop."""

    def __init__(self, schedule):
        self.schedule = schedule
        self.wanted = NEVER
        self.thread = None
        self.marks = []
        gdb.events.new_objfile.connect(self.loaded)

    def loaded(self, event):
        """The runtime is there for the first time: from now on gdb keeps the breakpoints."""
        if event.new_objfile.filename.endswith(RUNTIME) and not self.marks:
            self.marks = [Mark(self, name) for name in MARKS]

    def resume(self, wanted):
        """Goes on to a step, the finding or the end."""
        set_stop_at(wanted)
        self.go("continue")

    def start(self, wanted):
        """The same from the beginning."""
        self.wanted = wanted
        self.go("run")

    def go(self, command):
        """Lets the program go on; says where it stands then."""
        CHOSEN.choose(None)
        said = quietly(command)
        self.wanted = NEVER
        if mark() is None:
            # The program's own end, or a breakpoint of the user's.
            gdb.write(said)
            return
        set_stop_at(NEVER)
        self.stand(State())

    def stand(self, state):
        """Shows the running thread and says which step comes."""
        self.thread = state.thread
        frame = select(state, state.thread)
        gdb.write(self.heading(state) + "\n")
        if frame is not None:
            gdb.execute("frame")

    def heading(self, state):
        """Where the program stands in the schedule."""
        here = state.position
        if mark() == "end":
            return "the execution is over"
        if mark() == "finding":
            if here >= len(self.schedule.steps):
                return f"{self.schedule.title}\nbehind the last event"
            when = "after" if state.running is None else "in"
            event = f"{self.schedule.number(here)}: {self.schedule.line(here)}"
            return f"{self.schedule.title}\n{when} {event}"
        if here >= len(self.schedule.steps):
            return f"behind the last event of the finding: T{state.thread} goes on"
        line = f"{self.schedule.number(here)}: {self.schedule.line(here)}"
        step = self.schedule.steps[here]
        if step is None:
            line += f": T{state.thread} goes on"
        elif step["thread"] != state.thread:
            line += f"\nthe program left the schedule: T{state.thread} goes on"
        return line


class Mark(gdb.Breakpoint):
    """A place where the runtime says how far it is."""

    def __init__(self, run, name):
        super().__init__(f"dpor_debug_{name}", internal=True)
        self.silent = True
        self.run = run
        self.name = name

    def stop(self):
        """At the beginning the runtime is told where to stop, and goes on."""
        if self.name == "begin":
            set_stop_at(self.run.wanted)
            return False
        return True


def quietly(command):
    """What a command of gdb says, without questions."""
    confirms = gdb.parameter("confirm")
    gdb.execute("set confirm off")
    try:
        return gdb.execute(command, to_string=True)
    finally:
        gdb.execute(f"set confirm {'on' if confirms else 'off'}")


def number(text, what, default=None):
    """A number of an argument, from 0."""
    text = text.strip()
    if not text and default is not None:
        return default
    if not text.isdecimal():
        raise gdb.GdbError(f"'{text}' is not {what}")
    return int(text)


class Dpor(gdb.Command):
    __doc__ = HELP

    def __init__(self):
        super().__init__("dpor", gdb.COMMAND_RUNNING, gdb.COMPLETE_NONE, True)

    def invoke(self, argument, from_tty):
        gdb.write(HELP + "\n")


class Sub(gdb.Command):
    """One of the commands."""

    def __init__(self, name, action):
        self.__doc__ = action.__doc__
        super().__init__(f"dpor {name}", gdb.COMMAND_RUNNING)
        self.action = action

    def invoke(self, argument, from_tty):
        self.action(argument)


def standing():
    """The state, where the program stands at one of the marks."""
    state = State()
    if mark() is None:
        raise gdb.GdbError(
            "the program stands between two events; `dpor step` goes on to the next"
        )
    return state


def step(argument):
    """Go on to the next event, or the N-th from here."""
    ahead = number(argument, "a number of events", 1)
    state = State()
    if mark() == "end":
        raise gdb.GdbError("the execution is over; `dpor back` goes back")
    RUN.resume(state.position + ahead)


def back(argument):
    """Go back an event, or N: the program is run again."""
    behind = number(argument, "a number of events", 1)
    state = State()
    # In the midst of a step, the step itself is the last event.
    here = state.position if mark() == "event" else state.position + 1
    here = min(here, len(RUN.schedule.steps))
    if behind > here:
        raise gdb.GdbError("there is no earlier event")
    RUN.start(here - behind)


def goto(argument):
    """Go to the event with this number, before it happens."""
    wanted = number(argument, "the number of an event") - 1
    if not 0 <= wanted < len(RUN.schedule.steps):
        raise gdb.GdbError(f"there are events 1 to {len(RUN.schedule.steps)}")
    try:
        ahead = wanted > State().position
    except Unknown:
        ahead = False
    if ahead:
        RUN.resume(wanted)
    else:
        RUN.start(wanted)


def finding(argument):
    """Go to the finding."""
    RUN.start(NEVER)


def where(argument):
    """The event that is next, and the calls of the thread that is shown, or of thread N, those of libraries folded."""
    state = standing()
    if argument.strip():
        show(state, argument)
    else:
        gdb.write(RUN.heading(state) + "\n")
    innermost = show_stack(state, RUN.thread)
    if innermost is None:
        gdb.write(f"T{RUN.thread} has not begun\n")
    else:
        gdb.write("\n".join([f"T{RUN.thread}:", *stack(innermost)]) + "\n")
    select(state, RUN.thread)


def show(state, argument):
    chosen = number(argument.strip().removeprefix("T"), "a thread")
    if chosen not in state.threads:
        raise gdb.GdbError(f"there is no thread {chosen} now: it was not created, or it has ended")
    RUN.thread = chosen
    return select(state, chosen)


def thread(argument):
    """Show thread N: bt, up, print and others are about it from then on."""
    if show(standing(), argument) is None:
        gdb.write(f"T{RUN.thread} has not begun\n")
    else:
        gdb.execute("frame")


def threads(argument):
    """All threads: where in the user's code they are, what they do next or wait for."""
    state = standing()
    for each in state.threads:
        frame = select(state, each)
        sign = "*" if each == RUN.thread else " "
        gdb.write(f"{sign} T{each}  {place(frame)}{following(state, each)}\n")
    select(state, RUN.thread)


def place(frame):
    """Function, file and line of a frame."""
    if frame is None:
        return "has not begun"
    found = frame.find_sal()
    file = found.symtab.filename if found.symtab else "?"
    return f"{frame.name() or '?'} at {shown(file)}:{found.line}"


def following(state, each):
    """What a thread does next, as far as the schedule goes, or stands before at its end."""
    steps = RUN.schedule.steps
    for at in range(state.position, len(steps)):
        is_done = at == state.position and mark() != "event"
        if steps[at] is None and not is_done:
            return ""
        if not is_done and steps[at]["thread"] == each:
            what = " ".join(filter(None, (steps[at]["operation"], steps[at]["object"])))
            return f", next: {what} ({RUN.schedule.number(at)})"
    return RUN.schedule.wait(each)


def trace(argument):
    """All events of the schedule."""
    try:
        here = State().position
    except Unknown:
        here = None
    for at in range(len(RUN.schedule.steps)):
        sign = "=>" if at == here else "  "
        if RUN.schedule.steps[at] is None and at != here:
            if RUN.schedule.steps[at - 1] is not None:
                gdb.write("        ...\n")
            continue
        gdb.write(f"{sign} {at + 1:4}  {RUN.schedule.line(at)}\n")


# Signals by which the checker works: faults, system calls, its timer.
for signal in ("SIGSEGV", "SIGBUS", "SIGILL", "SIGFPE", "SIGABRT", "SIGSYS", "SIGPROF"):
    quietly(f"handle {signal} nostop noprint pass")
# The threads whose stacks the fibers borrow.
gdb.execute("set print thread-events off")
gdb.execute("set print inferior-events off")

RUN = Run(Schedule(os.environ["DPOR_FINDING"]))
gdb.execute("unset environment DPOR_FINDING")
gdb.execute("unset environment DPOR_LIBRARY")
gdb.execute("unset environment LINES")
gdb.execute("unset environment COLUMNS")
Dpor()
for sub in (step, back, goto, finding, where, threads, thread, trace):
    Sub(sub.__name__, sub)
gdb.write("dpor: `help dpor` names the commands\n")
finding("")
