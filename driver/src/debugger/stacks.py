# Stacks as people read them: the user's own functions, and how many of libraries are between them.
#
#   … 3 frames of libstdc++
#   #7  Philosopher::eat() (this=0x200000000868) at philosophers.cc:34
#
# Which files are a library's the driver says (runtime/report/src/library.rs); what called the user's first function is
# the same for all threads, and left out. gdb's own `bt` shows all.

import json
import os
import re

import gdb

LIBRARY = json.loads(os.environ["DPOR_LIBRARY"])


def shown(file):
    """A file as the report's text has it: below the current folder, the way from there."""
    return file.removeprefix(os.getcwd() + "/")


def file_of(frame):
    """The file of a frame's source, as debug information has it; empty without any."""
    found = frame.find_sal()
    return found.symtab.fullname() if found.symtab else ""


def is_library(frame):
    """Whether a frame is a library's; without debug information, whether it is not in the program itself."""
    file = file_of(frame)
    if not file:
        return gdb.solib_name(frame.pc()) is not None
    return (
        file.startswith(tuple(LIBRARY["installed"]))
        or any(part in file for part in LIBRARY["of_compilers"])
        or any(file.startswith(folder.rstrip("/") + "/") for folder in LIBRARY["folders"])
    )


def first_of_user(frame):
    """The innermost frame from this one on that is the user's; None if there is none."""
    while frame is not None and is_library(frame):
        frame = frame.older()
    return frame


def name_of_library(frame):
    """The name of a library by its headers, or by its file."""
    file = file_of(frame)
    if "/c++/v1/" in file:
        return "libc++"
    if "/c++/" in file:
        return "libstdc++"
    if file.startswith("/rustc/") or "/rustlib/" in file:
        return "Rust's library"
    if "/include/" in file:
        return re.split(r"[/.]", file.rsplit("/include/", 1)[1])[0]
    if file:
        return os.path.basename(os.path.dirname(file))
    return os.path.basename(gdb.solib_name(frame.pc()) or "").split(".so")[0]


def folded(run):
    """`… 4 frames of libstdc++ and libc`."""
    names = dict.fromkeys(filter(None, map(name_of_library, run)))
    frames = "1 frame" if len(run) == 1 else f"{len(run)} frames"
    return f"… {frames} of {' and '.join(names) or 'a library'}"


def lines_of_frames():
    """What gdb's backtrace says of each frame, by the frame's number."""
    said = gdb.execute("with width 0 -- backtrace", to_string=True)
    parts = re.split(r"^#(\d+) +", said, flags=re.MULTILINE)[1:]
    return {int(level): text.rstrip() for level, text in zip(parts[::2], parts[1::2])}


def stack(frame):
    """The lines of the stack from a frame on, without what called the user's first function."""
    frames = []
    while frame is not None:
        frames.append(frame)
        frame = frame.older()
    users = [not is_library(each) for each in frames]
    if any(users):
        del frames[len(users) - users[::-1].index(True) :]
    texts = lines_of_frames()
    lines, run = [], []
    for each, is_users in zip(frames, users):
        if not is_users:
            run.append(each)
            continue
        if run:
            lines.append(folded(run))
        run = []
        level = each.level()
        lines.append(f"#{level:<2} {texts.get(level, each.name() or '?')}")
    if run:
        lines.append(folded(run))
    return lines
