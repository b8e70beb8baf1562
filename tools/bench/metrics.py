"""What is compared with what, and whether that is good enough.

A cost is what a unit of a job takes: less is better, always. The table may show it the other way
round, as so many per second. A must is kept when the cost is not above it by more than SLACK; an
aim is reached when the cost is not above it.
"""
import dataclasses
import statistics
from typing import Callable, Dict, List, Optional, Tuple

SLACK = 1.2  # what two measurements on one machine may differ by

HOLDS, FAILS, UNSUPPORTED = "holds", "FAILS", "unsupported"


@dataclasses.dataclass(frozen=True)
class Cost:
    """A cost of a figure, in what its counters say."""

    figure: str  # JOB/SIZE
    of: Callable[[Dict[str, float]], float] = lambda r: r["ns"]


@dataclasses.dataclass(frozen=True)
class Bound:
    """At most `factor` of the floor, of the best peer, or of 1."""

    of: str  # "floor", "peer" or "1"
    factor: float

    def text(self, metric):
        if self.of == "floor":
            return "%gx floor" % self.factor
        if self.of == "peer":
            return "peer / %g" % (1 / self.factor)
        return "%s %s" % (metric.show(self.factor), metric.unit)


def floor(factor):
    return Bound("floor", factor)


def better_than_peer(times):
    return Bound("peer", 1 / times)


def at_most(value):
    return Bound("1", value)


@dataclasses.dataclass(frozen=True)
class Metric:
    number: str
    title: str
    unit: str
    ours: Cost
    must: Tuple[Bound, ...]
    aim: Tuple[Bound, ...]
    floor: Optional[Cost] = None
    peer: Optional[Cost] = None
    peers: Tuple[str, ...] = ()  # the programs to ask
    show: Callable[[float], str] = lambda cost: "%.3g" % cost
    divided_by: Optional[Cost] = None  # of the same program: the metric is a ratio of two figures


def per_cycle(r):
    return r["ns"] * r["events_per_cycle"]


def counter(name):
    return lambda r: r[name]


def microseconds(ns):
    return "%.3g" % (ns / 1e3)


def per_second(unit):
    return lambda ns: "%.3g" % (1e9 / ns / unit)


def _engine(number, pending, title, must, aim, peer):
    cost = Cost("hold/%d" % pending)
    return Metric(number, title, "ns/event", cost, must, aim, cost, cost, peer)


NS3 = ("ns3_engine",)

METRICS = [
    _engine("1", 1000, "engine, 1000 pending", (floor(1.5), better_than_peer(3)),
            (floor(1.12),), NS3),
    _engine("2a", 100_000, "engine, 100 000 pending", (floor(1.5), better_than_peer(8)),
            (floor(1.15),), NS3),
    _engine("2b", 1_000_000, "engine, 1 000 000 pending", (floor(1.5), better_than_peer(12)),
            (floor(1.15),), NS3),
    _engine("3", 16, "engine, 16 pending", (floor(1.5),), (floor(1.1),), ("functions",)),
    Metric("4a", "events of the IB CM, fingerprint on", "M/s", Cost("life/1000"),
           (floor(3.1), better_than_peer(54)), (floor(2),), Cost("life/1000"),
           Cost("life/1000"), ("ns3_network",), per_second(1e6)),
    Metric("4b", "events and calls of the whole world", "M/s",
           Cost("world/1000", lambda r: r["ns"] / (1 + r["calls_per_event"])),
           (floor(3.1), better_than_peer(54)), (floor(2),), Cost("life/1000"),
           Cost("life/1000"), ("ns3_network",), per_second(1e6)),
    Metric("5", "connection life cycles, 1 % loss, 1000 live", "k/s",
           Cost("life/1000", per_cycle), (floor(3), better_than_peer(330)), (floor(2),),
           Cost("life/1000", per_cycle), Cost("life_cycles/1000"), ("ns3_network",),
           per_second(1e3)),
    Metric("6", "the same with the bytes of the wire", "k/s", Cost("wire/1000", per_cycle),
           (floor(3.5), better_than_peer(150)), (floor(2),), Cost("wire/1000", per_cycle),
           Cost("life_cycles/1000"), ("ns3_network",), per_second(1e3)),
    Metric("7a", "growth from 1000 to 1 000 000 pending, engine", "ratio",
           Cost("hold/1000000"), (at_most(1.5),), (at_most(1.15),), Cost("hold/1000000"),
           Cost("hold/1000000"), NS3, divided_by=Cost("hold/1000")),
    Metric("7b", "growth from 1000 to 1 000 000 connections, IB CM", "ratio",
           Cost("life/1000000"), (floor(0.75),), (at_most(1.15),), Cost("life/1000000"),
           divided_by=Cost("life/1000")),
    Metric("8", "memory of an id with its timer, 2 000 000 ids", "bytes",
           Cost("life/1000000", counter("bytes_per_id")), (at_most(256), better_than_peer(33)),
           (at_most(128),), Cost("life/1000000", counter("bytes_per_id")),
           Cost("memory/5000", counter("bytes_per_id")), ("ns3_network",)),
    Metric("9", "calls drawn, carried out and judged", "k/s", Cost("checked/1"),
           (better_than_peer(1),), (better_than_peer(3),), None, Cost("checked/1"), ("commands",),
           per_second(1e3)),
    Metric("19a", "overhead of the fingerprint", "%",
           Cost("overhead/1000", counter("fingerprint_percent")), (at_most(6),), (at_most(4),)),
    Metric("19b", "overhead of a ring in memory, on top", "%",
           Cost("overhead/1000", counter("ring_percent")), (at_most(5),), (at_most(2),)),
    Metric("19c", "overhead of a binary file, on top", "%",
           Cost("overhead/1000", counter("file_percent")), (at_most(15),), (at_most(10),)),
    Metric("20a", "export as pcap", "M records/s", Cost("pcap/1"),
           (floor(1.22), better_than_peer(2)), (floor(1),), Cost("pcap/1"), Cost("pcap/1"),
           ("pcap",), per_second(1e6)),
    Metric("20b", "export as lines of JSON", "M records/s", Cost("json/1"),
           (floor(1.43), better_than_peer(12)), (floor(1),), Cost("json/1"), Cost("json/1"),
           ("json",), per_second(1e6)),
    Metric("21", "a polled message of programs under cmcheck app", "us",
           Cost("polled/1000", counter("ns_each")), (at_most(150e3),), (at_most(100e3),),
           Cost("polled/1000", counter("ns_each")), show=microseconds),
    Metric("22a", "a connection that programs hold under cmcheck app", "us",
           Cost("held/1000", counter("ns_each")), (at_most(800e3),), (at_most(300e3),),
           Cost("held/1000", counter("ns_each")), show=microseconds),
    Metric("22b", "growth from 1000 to 20 000 of those", "ratio",
           Cost("held/20000", counter("ns_each")), (at_most(1.6),), (at_most(1.15),),
           divided_by=Cost("held/1000", counter("ns_each"))),
    Metric("22c", "a connection that has its completion queues and channels", "us",
           Cost("channels/400", counter("ns_each")), (at_most(1000e3),), (at_most(300e3),),
           Cost("channels/400", counter("ns_each")), show=microseconds),
    Metric("23", "a seed of cmcheck app --explore, two programs", "us",
           Cost("explored/100", counter("ns_each")), (at_most(120e6),), (at_most(60e6),),
           show=microseconds),
]


def number_of(metric):
    """7 of "7a": what --metric takes."""
    return int("".join(c for c in metric.number if c.isdigit()))


@dataclasses.dataclass
class Measured:
    """Cost and the variant that has it."""

    cost: float
    variant: str


class Results:
    """What programs have measured: runs[program][JOB/SIZE][VARIANT] is a list of dicts."""

    def __init__(self):
        self.runs: Dict[str, Dict[str, Dict[str, List[Dict[str, float]]]]] = {}

    def add(self, program, name, numbers):
        figure, variant = name.rsplit("/", 1)
        variants = self.runs.setdefault(program, {}).setdefault(figure, {})
        variants.setdefault(variant, []).append(numbers)

    def best(self, program, cost, divided_by=None):
        """The cheapest variant's median; None when the program did not measure it."""
        found = None
        for variant, runs in self.runs.get(program, {}).get(cost.figure, {}).items():
            value = statistics.median(cost.of(r) for r in runs)
            if divided_by is not None:
                base = self.runs[program].get(divided_by.figure, {}).get(variant)
                if not base:
                    continue
                value /= statistics.median(divided_by.of(r) for r in base)
            if found is None or value < found.cost:
                found = Measured(value, variant)
        return found


@dataclasses.dataclass
class Row:
    metric: Metric
    ours: Optional[Measured]
    floor: Optional[Measured]
    peer: Optional[Measured]
    verdict: str
    aim: str
    why: str = ""


def keeps(bound, row, slack):
    """None when what it compares with was not measured."""
    if bound.of == "1":
        return row.ours.cost <= bound.factor * slack
    other = row.floor if bound.of == "floor" else row.peer
    if other is None:
        return None
    return row.ours.cost <= bound.factor * other.cost * slack


def verdict_of(bounds, row, slack):
    answers = [keeps(bound, row, slack) for bound in bounds]
    if False in answers:
        return FAILS
    return UNSUPPORTED if None in answers else HOLDS


def judge(metric, results, missing):
    """`missing`: by program, why it does not run."""
    def best(program, cost):
        return results.best(program, cost, metric.divided_by) if cost else None

    found = [m for m in (best(p, metric.peer) for p in metric.peers) if m is not None]
    peer = min(found, key=lambda m: m.cost) if found else None
    row = Row(metric, best("ours", metric.ours), best("floor", metric.floor), peer,
              UNSUPPORTED, UNSUPPORTED)
    row.why = "; ".join(missing[p] for p in ("ours", "floor") + metric.peers if p in missing)
    if row.ours is None:
        row.why = row.why or "nothing of ours measures it"
        # What does not end in time is too slow; what does not exist is not measured.
        if "ours:" + metric.ours.figure in missing:
            row.verdict = row.aim = FAILS
            row.why = missing["ours:" + metric.ours.figure]
        return row
    row.verdict = verdict_of(metric.must, row, SLACK)
    row.aim = verdict_of(metric.aim, row, 1)
    return row


def exit_code(rows):
    """1: a must does not hold. 3: none of those, but not all could be compared."""
    verdicts = {row.verdict for row in rows}
    if FAILS in verdicts:
        return 1
    return 3 if UNSUPPORTED in verdicts else 0


# Figure: maximum ratio of its instructions to those of the fastest floor, and the floor's figure.
# A tenth more than when it was written: counts repeat to two per cent, so a change that exceeds one
# has made the figure slower, or must explain here why it takes more.
INSTRUCTIONS = {
    "hold/16": (2.0, "hold/16"),
    "hold/1000": (0.85, "hold/1000"),
    "life/1000": (2.9, "life/1000"),
    "wire/1000": (1.65, "wire/1000"),
    "world/1000": (12.5, "life/1000"),
    "checked/1": (190, "life/1000"),
    "json/1": (1.15, "json/1"),
    "pcap/1": (1.8, "pcap/1"),
}


def instruction_bounds(wanted):
    """The entries of INSTRUCTIONS that are figures of these metrics."""
    figures = {metric.ours.figure for metric in wanted}
    return {figure: bound for figure, bound in INSTRUCTIONS.items() if figure in figures}


def figures_of_bounds(bounds):
    """The figures that such entries compare: ours, and those of the floors."""
    return set(bounds) | {of for _, of in bounds.values()}


def judge_instructions(counted, bounds=INSTRUCTIONS):
    """`counted`: (program, figure) -> instructions of a unit, the fewest of its variants. Yields
    (figure, ours, floor, bound, verdict)."""
    for figure, (factor, of) in bounds.items():
        ours, least = counted.get(("ours", figure)), counted.get(("floor", of))
        if ours is None or least is None:
            yield figure, ours, least, factor, UNSUPPORTED
        else:
            yield figure, ours, least, factor, HOLDS if ours <= factor * least else FAILS


def gate_code(verdicts):
    """1: a bound does not hold. 2: none of those, but not all were counted."""
    if FAILS in verdicts:
        return 1
    return 2 if UNSUPPORTED in verdicts else 0


HEADINGS = ("", "metric", "unit", "peer", "floor", "ours", "of floor", "must", "", "aim", "")


def cells(row):
    def show(measured):
        return row.metric.show(measured.cost) if measured else "-"

    def bounds(of):
        return ", ".join(bound.text(row.metric) for bound in of)

    ratio = "%.2f" % (row.ours.cost / row.floor.cost) if row.ours and row.floor else "-"
    peer = "%s (%s)" % (show(row.peer), row.peer.variant) if row.peer else "-"
    return (row.metric.number, row.metric.title, row.metric.unit, peer, show(row.floor),
            show(row.ours), ratio, bounds(row.metric.must), row.verdict,
            bounds(row.metric.aim), row.aim)


def table(rows, markdown=False):
    lines = [HEADINGS] + [cells(row) for row in rows]
    if markdown:
        text = ["| " + " | ".join(line) + " |" for line in lines]
        text.insert(1, "|" + "---|" * len(HEADINGS))
    else:
        widths = [max(len(line[i]) for line in lines) for i in range(len(HEADINGS))]
        text = ["  ".join(c.ljust(w) for c, w in zip(line, widths)).rstrip() for line in lines]
    text += ["%s: %s" % (row.metric.number, row.why) for row in rows if row.why and not markdown]
    return "\n".join(text) + "\n"


def as_json(rows):
    def numbers(measured):
        return {"cost": measured.cost, "variant": measured.variant} if measured else None

    return [{"metric": row.metric.number, "title": row.metric.title, "unit": row.metric.unit,
             "ours": numbers(row.ours), "floor": numbers(row.floor), "peer": numbers(row.peer),
             "must": row.verdict, "aim": row.aim, "why": row.why} for row in rows]
