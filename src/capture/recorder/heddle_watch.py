"""Which launches of a kernel are new: what is known of it, entries of its jobs, times.

    watch = watch_of(kernel, "matmul_kernel")
    entry = watch.entry(args, kwargs, grid, describe)     [launches, job], made by describe() if new
    follow(entry, call)                                   a launch that counts, timed if it is early
"""
import operator
import os
import sys

from heddle_jobs import Unsupported, is_capturing, is_descriptor, is_tensor, note

LIMIT = int(os.environ.get("HEDDLE_CAPTURE_LIMIT") or 16)  # jobs of a kernel
PATTERN = os.environ.get("HEDDLE_CAPTURE_KERNEL") or "*"
TIMED = 4           # launches of a job that are timed
SETTLED = 16        # the launch at which the job is written again with its times
MOST_KEYS = 10_000  # of a kernel
MOST_FAILURES = 3   # of a kernel
MOST_OVER = 1000    # new signatures of a kernel beyond the limit, then it is left alone
SLEEP_CYCLES = 200_000  # the GPU is busy until the launch is queued

jobs = []
counts = {}  # jobs of a kernel, by its name


def nothing(values):
    return ()


def getter(plain, tensors):
    """Takes these positions or names from arguments; of tensors, what Triton tells apart."""
    take = operator.itemgetter(*plain) if plain else nothing
    if not tensors:
        return take
    return lambda values: (take(values), tuple(
        (str(values[at].dtype), values[at].data_ptr() % 16) for at in tensors))


def is_told_apart(value):
    return not (is_tensor(value) or is_descriptor(value)
                or isinstance(value, (float, list, tuple, dict)))


def seen_of(value):
    """What a kernel can see of an argument, but for its address or its floating-point value."""
    if is_descriptor(value):
        return ("descriptor", seen_of(value.base), tuple(value.shape), tuple(value.strides),
                tuple(value.block_shape))
    if is_tensor(value):
        return "tensor", str(value.dtype), value.data_ptr() % 16
    if isinstance(value, float):
        return "float"
    if isinstance(value, (list, tuple)):
        return tuple(seen_of(one) for one in value)
    return type(value).__name__, value if isinstance(value, (int, str)) else repr(value)


class Watch:
    """What is known of one kernel. A table of a grid leads from what is quickly looked at to an
    entry, which is [launches, job]; `young` has those of the first launches."""

    def __init__(self, name):
        import fnmatch
        self.name = name
        self.is_wanted = fnmatch.fnmatchcase(name, PATTERN)
        self.tables, self.young, self.launchers = {}, {}, {}
        self.entries, self.failed = {}, set()
        self.positions = self.names = nothing
        self.is_plain = True     # keyword arguments are told apart, all of them
        self.is_careful = False  # the same numbers come with other types
        self.is_stale = False    # Triton has compiled since a launch was looked at
        self.over = 0
        self.turn = object()     # another one once what was found before counts no more

    def __reduce__(self):  # kernels travel between processes
        return (type(None), ())

    def table(self, where):
        if where not in self.tables and len(self.tables) >= MOST_KEYS:
            self.forget()
        return self.tables.setdefault(where, {})

    def forget(self):
        self.launchers.clear()  # they hold tables
        for table in self.tables.values():
            table.clear()
        self.tables.clear()
        self.young.clear()
        self.turn = object()

    def key(self, args, kwargs):
        return (len(args), self.positions(args),
                tuple(kwargs.values()) if self.is_plain else (len(kwargs), self.names(kwargs)))

    def learn(self, args, kwargs):
        """How to take from arguments what makes a signature."""
        self.turn = object()
        careful = self.is_careful
        self.positions = getter([at for at, value in enumerate(args) if is_told_apart(value)],
                                [at for at, value in enumerate(args) if is_tensor(value)] * careful)
        self.names = getter([name for name in sorted(kwargs) if is_told_apart(kwargs[name])],
                            [name for name in sorted(kwargs) if is_tensor(kwargs[name])] * careful)
        self.is_plain = all(is_told_apart(value) for value in kwargs.values())

    def entry(self, args, kwargs, where, describe):
        """Of a launch whose signature may be new; None where it is not captured."""
        try:
            if not self.is_stale:
                key = self.key(args, kwargs)
                found = self.young.get((where, key)) or self.table(where).get(key)
                if found is not None:
                    if found[0] + 1 >= SETTLED:
                        self.young.pop((where, key), None)
                        self.table(where)[key] = found
                    return found
        except (LookupError, TypeError):
            pass
        return self.begin(args, kwargs, where, describe)

    def begin(self, args, kwargs, where, describe):
        try:
            signature = (tuple(map(seen_of, args)), where,
                         tuple((name, seen_of(kwargs[name])) for name in sorted(kwargs)))
            if signature in self.failed:
                return None
            found = self.entries.get(signature)
            if found is None:
                found = self.add(signature, describe)
            self.is_stale = False
            self.remember(args, kwargs, where, found)
            return found
        except Exception as error:
            kind = "" if isinstance(error, Unsupported) else type(error).__name__ + ": "
            note(f"{self.name} was not captured: {kind}{error}")
            if len(self.failed) >= MOST_FAILURES or isinstance(error, Unsupported):
                self.leave()
            return None

    def add(self, signature, describe):
        if counts.get(self.name, 0) >= LIMIT:
            note(f"{self.name}: more than {LIMIT} signatures; --limit N captures more")
            self.over += 1
            if self.over >= MOST_OVER:
                self.leave()
            return [0, None]
        self.failed.add(signature)
        job = describe()
        self.failed.discard(signature)
        if job.entry is None:
            job.entry = [0, job]
            jobs.append(job)
            counts[self.name] = counts.get(self.name, 0) + 1
        self.entries[signature] = job.entry
        return job.entry

    def leave(self):
        self.is_wanted = False
        self.forget()

    def remember(self, args, kwargs, where, entry):
        if len(self.young) + len(self.table(where)) >= MOST_KEYS:
            self.forget()
        self.learn(args, kwargs)
        table, key = self.table(where), self.key(args, kwargs)
        if (self.young.get((where, key)) or table.get(key) or entry) is not entry:
            self.is_careful = True
            self.forget()
            self.learn(args, kwargs)
            table, key = self.table(where), self.key(args, kwargs)
        if entry[0] + 1 >= SETTLED or entry[1] is None:
            table[key] = entry
        else:
            self.young[where, key] = entry


def watch_of(kernel, name):
    watch = kernel.__dict__.get("_heddle_watch")
    if watch is None:
        watch = kernel.__dict__["_heddle_watch"] = Watch(name)
    return watch


def timed(job, call):
    """Calls it, between two events where there are any."""
    events = None
    try:
        torch = sys.modules.get("torch")
        if torch is not None and torch.cuda.is_available() and not is_capturing():
            events = [torch.cuda.Event(enable_timing=True) for _ in range(2)]
            torch.cuda._sleep(SLEEP_CYCLES)
            events[0].record()
    except Exception:
        events = None
    result = call()
    try:
        if events:
            events[1].record()
            job.pending.append(tuple(events))
    except Exception:
        pass
    return result


def follow(entry, call):
    """A launch that is among the first of its job."""
    entry[0] += 1
    if entry[0] == SETTLED and entry[1] is not None:
        try:
            entry[1].save()
        except OSError:
            pass
    return timed(entry[1], call) if entry[0] <= TIMED and entry[1] is not None else call()
