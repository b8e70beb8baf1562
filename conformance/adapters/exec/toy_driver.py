"""A toy connection manager, kept in memory, and a driver for cmcheck.

Both hosts live in this one process. Time is virtual: the clock moves only while a request waits for
something. Requests of the driver protocol come from standard input, and answers go to standard output.

It deviates from the real one: no message is lost, and nothing times out but an address that does not
answer; a request that finds a full backlog is forgotten; there is no time-wait; loopback addresses are
hardly more than names; rdma_destroy_id waits for acknowledgments only; a refused rdma_bind_addr or
rdma_accept has no consequences; REJECTED may still follow CONNECT_ERROR.
"""

import re
import sys
from dataclasses import dataclass, field
from typing import Any, Callable, NamedTuple, Optional, Union

GREETING = """cmcheck-driver 1
name toycm 1.0
without datagrams synchronous establish notify qp-attributes ece options migration
without endpoints multicast lookup devices written-events shared-queues data
topologies two-kernels
clock virtual
ready"""
UNITS = {"ns": 1, "us": 1_000, "ms": 1_000_000, "s": 1_000_000_000}     # the clock counts nanoseconds
FLIGHT = 10 * UNITS["us"]                           # how long a message is on its way
REQ_ROOM, REP_ROOM, REJ_ROOM = 56, 196, 148         # bytes of private data
NO_LISTENER, BY_CONSUMER = 8, 28                    # reasons of a REJ
DEVICES = {"active": "rxe0", "passive": "rxe1"}     # by side
UNKNOWN = {"device": "none", "port_num": 0, "src": "none", "dst": "none", "num_paths": 0}
PARAMETERS = dict(responder_resources=1, initiator_depth=1, flow_control=1, retry_count=7, rnr_retry_count=7)
NO_PARAMETERS = dict(responder_resources=255, initiator_depth=255, retry_count=7, rnr_retry_count=7)
EVENTS = ["RDMA_CM_EVENT_" + name for name in """ADDR_RESOLVED ADDR_ERROR ROUTE_RESOLVED ROUTE_ERROR CONNECT_REQUEST
CONNECT_RESPONSE CONNECT_ERROR UNREACHABLE REJECTED ESTABLISHED DISCONNECTED DEVICE_REMOVAL MULTICAST_JOIN
MULTICAST_ERROR ADDR_CHANGE TIMEWAIT_EXIT""".split()]   # in the order of their numbers
UNCONNECTED = "idle bound resolving resolved routing routed".split()
ARRIVALS = {(message, state): change for message, states, *change in [     # states that it suits, the next, the event
    ("REP", "req_sent", "rep_rcvd", "CONNECT_RESPONSE"),
    ("RTU", "rep_sent", "established", "ESTABLISHED"),
    ("REJ", "req_rcvd", "over", None),
    ("REJ", "req_sent rep_sent rep_rcvd established", "over", "REJECTED"),
    ("DREQ", "rep_sent established dreq_sent", "dreq_rcvd", "DISCONNECTED"),
    ("DREP", "dreq_sent", "over", "DISCONNECTED"),
] for state in states.split()}
Outcome = Union[None, str, Callable[[], Optional[str]]]     # None is "0"; a function gives None for "not yet"


class Channel(list):
    """An event channel: the events that are still to be fetched."""
    nonblocking = False


@dataclass(eq=False)
class CmId:
    """A connection identifier, and its half of a connection."""
    side: str
    channel: Channel
    name: str
    state: str = "idle"
    src: str = ""
    dst: str = ""
    peer: Optional["CmId"] = None
    shown: dict[str, Any] = field(default_factory=lambda: dict(UNKNOWN))    # what user space knows
    qp: str = "none"
    qp_num: int = 0
    backlog: int = 0
    unacknowledged: int = 0


class Event(NamedTuple):
    """Something that a channel reports; its owner is the id, or the id that listens for it."""
    type: str
    id: CmId
    owner: CmId
    results: dict[str, Any]


def need(condition: Any, errno: str = "EINVAL") -> None:
    """Refuse the call unless the condition holds."""
    if not condition:
        raise OSError(errno)


def padded(text: str, room: int) -> str:
    """Private data as they arrive: those of "text", count:20, or hex:00ff, and zero bytes."""
    pattern = r'(?:"(.*)"|count:(\d+)|hex:([0-9a-f]*))(?:\+(\d+))?'
    quoted, count, digits, zeros = (part or "" for part in re.fullmatch(pattern, text).groups())
    data = quoted.encode() + bytes(range(1, int(count or 0) + 1)) + bytes.fromhex(digits)
    need(len(data) + int(zeros or 0) <= room)
    return "hex:" + data.ljust(room, b"\0").hex()


class Manager:
    """The connection manager of one conversation. The method of its name carries out a call."""

    def __init__(self) -> None:
        self.now, self.side = 0, ""
        self.agenda: list[tuple[int, int, Callable[[], Any]]] = []
        self.numbers = iter(range(40000, sys.maxsize))   # for ports, queue pairs, and the order of the agenda
        self.names: dict[str, Any] = {}
        self.ids: list[CmId] = []
        self.blocked: dict[str, Callable[[], Optional[str]]] = {}       # by lane

    def later(self, delay: int, action: Callable[..., Any], *arguments: Any) -> None:
        """Put something on the agenda."""
        self.agenda = sorted(self.agenda + [(self.now + delay, next(self.numbers), lambda: action(*arguments))])

    def step(self) -> None:
        """Go on to the next thing on the agenda."""
        self.now, _, action = self.agenda.pop(0)
        action()

    def turn(self, id: CmId, state: str, type: Optional[str], listener: Optional[CmId] = None, **results: Any) -> None:
        """Bring an id into a state, and put an event on its channel."""
        id.state = state
        if type and id in self.ids:
            id.channel.append(Event(type, id, listener or id, results))

    def refresh(self, id: CmId) -> None:
        """Let user space see what the kernel knows of an id."""
        where, dot, v6 = id.src.partition(":")[0].partition(".")
        id.shown = {"device": DEVICES.get(where, "none"), "port_num": int(where in DEVICES), "src": id.src,
                    "dst": id.dst or f"any{dot}{v6}:0", "num_paths": int(id.state not in UNCONNECTED[:-1])}

    def send(self, id: CmId, message: str, state: str, **results: Any) -> None:
        """Send a message to the other end of an id's connection, and bring the id into a state."""
        self.later(FLIGHT, lambda: id.peer and self.arrive(id.peer, message, **results))
        id.state = state

    def arrive(self, id: CmId, message: str, **results: Any) -> None:
        """A message arrives that belongs to a connection."""
        if (message, id.state) in ARRIVALS:
            self.turn(id, *ARRIVALS[message, id.state], **results)
        elif message == "DREQ":
            self.send(id, "DREP", id.state)

    def request(self, sender: CmId, results: dict[str, Any]) -> None:
        """A connection request arrives at the host of its destination."""
        name, _, port = sender.dst.partition(":")
        same_port = [id for id in self.ids if id.state == "listening" and id.src.endswith(f":{port}")
                     and id.side == name.removesuffix(".v6")]
        listener = next((id for id in same_port if id.src.startswith((f"{name}:", "any"))), None)
        if not listener:
            rejection = {"status": BY_CONSUMER if same_port else NO_LISTENER, "private": padded('""', REJ_ROOM)}
            self.later(FLIGHT, lambda: self.arrive(sender, "REJ", **rejection))
        elif sum(event.owner is listener for event in listener.channel) < listener.backlog:
            sender.peer = CmId(listener.side, listener.channel, "?", src=sender.dst, dst=sender.src, peer=sender)
            self.ids.append(sender.peer)
            self.turn(sender.peer, "req_rcvd", "CONNECT_REQUEST", listener, **results)

    def rdma_create_event_channel(self, name: str, *flags: str) -> Outcome:
        self.names[name] = Channel()
        self.names[name].nonblocking = "nonblocking" in flags

    def rdma_destroy_event_channel(self, channel: Channel) -> Outcome:
        for id in [id for id in self.ids if id.channel is channel]:
            self.rdma_destroy_id(id)

    def rdma_create_id(self, name: str, on: str, ps: str = "RDMA_PS_TCP") -> Outcome:
        need(ps == "RDMA_PS_TCP")
        self.names[name] = CmId(self.side, self.names[on], name)
        self.ids.append(self.names[name])

    def rdma_destroy_id(self, id: CmId) -> Outcome:
        if id.state in ("req_sent", "req_rcvd", "rep_sent", "rep_rcvd"):
            self.send(id, "REJ", "over", status=BY_CONSUMER, private=padded('""', REJ_ROOM))
        elif id.state in ("established", "dreq_rcvd"):
            self.send(id, "DREQ" if id.state == "established" else "DREP", "over")
        id.state = "over"
        self.ids = [other for other in self.ids if other is not id]
        for event in [event for event in id.channel if id in (event.id, event.owner)]:
            id.channel.remove(event)
            if event.id in self.ids:
                self.rdma_destroy_id(event.id)
        return lambda: None if id.unacknowledged else "0"

    def rdma_bind_addr(self, id: CmId, addr: str) -> Outcome:
        name, colon, port = addr.partition(":")     # no colon: a family that suits no call
        need(id.state == "idle" and colon)
        need(name.removesuffix(".v6") in ("any", "loopback", id.side), "EADDRNOTAVAIL")
        for other in [one.src for one in self.ids if one.side == id.side and one.src.endswith(f":{port}")]:
            need(not re.search("any|loopback", name + other), "EADDRNOTAVAIL")
            need(other != addr, "EADDRINUSE")
        id.src, id.state = f"{name}:{int(port) or next(self.numbers)}", "bound"
        self.refresh(id)

    def rdma_listen(self, id: CmId, backlog: str = "8") -> Outcome:
        if id.state == "idle":
            self.rdma_bind_addr(id, "any:0")
        need(id.state == "bound")
        id.state, id.backlog = "listening", int(backlog) if int(backlog) > 0 else 1024

    def rdma_resolve_addr(self, id: CmId, dst: str, timeout_ms: str = "2000", src: str = "") -> Outcome:
        need(":" in dst)
        where, dot, v6 = dst.partition(":")[0].partition(".")
        if id.state != "bound":
            self.rdma_bind_addr(id, src or f"any{dot}{v6}:0")
            id.shown = dict(UNKNOWN)        # user space does not see the address yet
        source, _, port = id.src.partition(":")
        need(source.endswith(".v6") == bool(v6) and (source != "loopback" or where in ("loopback", id.side)))
        need(where not in ("unroutable", "foreign") or source == id.side, "ENETUNREACH")
        id.state, id.dst, id.shown["dst"] = "resolving", dst.replace("any", id.side), dst
        if where in ("any", "loopback", *DEVICES):
            id.src = f"{id.side}{dot}{v6}:{port}"
            self.later(FLIGHT, self.turn, id, "resolved", "ADDR_RESOLVED")
        else:
            self.later(int(timeout_ms) * UNITS["ms"], lambda: self.turn(id, "bound", "ADDR_ERROR", status=-110))

    def rdma_resolve_route(self, id: CmId, timeout_ms: str = "2000") -> Outcome:
        need(id.state == "resolved" and timeout_ms != "0")
        id.state = "routing"
        self.later(FLIGHT, self.turn, id, "routed", "ROUTE_RESOLVED")

    def rdma_create_qp(self, id: CmId, type: str = "RC") -> Outcome:
        need(id.qp == "none" != id.shown["device"] and id.state not in ("listening", "over", "dreq_sent", "dreq_rcvd"))
        id.qp, id.qp_num = "INIT", next(self.numbers)

    def rdma_destroy_qp(self, id: CmId) -> Outcome:
        id.qp = "none"

    def parameters(self, id: CmId, flags: tuple[str, ...], given: dict[str, str]) -> dict[str, Any]:
        """What the other side reads of the parameters of a connect or an accept."""
        need(not flags or id.qp != "none")
        values = {**(NO_PARAMETERS if flags else PARAMETERS), **{key: int(value) for key, value in given.items()}}
        depths = [values["initiator_depth"], values["responder_resources"]]     # they change places
        need(all(depth <= 128 or depth == 255 for depth in depths))
        values["responder_resources"], values["initiator_depth"] = (min(depth, 128) for depth in depths)
        values.update({key: min(values[key], 7) for key in ("retry_count", "rnr_retry_count")})
        return values if id.qp == "none" else {**values, "srq": 0, "qp_num": id.qp_num}

    def rdma_connect(self, id: CmId, *flags: str, private: str = '""', **given: str) -> Outcome:
        results = self.parameters(id, flags, given)
        need(id.state == "routed")
        self.later(FLIGHT, self.request, id, {**results, "private": padded(private, REQ_ROOM)})
        id.state = "req_sent"

    def rdma_accept(self, id: CmId, *flags: str, private: str = '""', **given: str) -> Outcome:
        results = self.parameters(id, flags, given)
        need(id.state == "req_rcvd")
        self.send(id, "REP", "rep_sent", **{**results, "retry_count": 0, "private": padded(private, REP_ROOM)})
        id.qp = "none" if id.qp == "none" else "RTS"

    def rdma_reject(self, id: CmId, private: str = '""') -> Outcome:
        need(id.state in ("req_sent", "req_rcvd", "rep_sent", "rep_rcvd"))
        message = "nameless REJ" if id.state == "req_sent" else "REJ"     # the former has no receiver
        self.send(id, message, "over", status=BY_CONSUMER, private=padded(private, REJ_ROOM))

    def rdma_disconnect(self, id: CmId) -> Outcome:
        need(id.state not in UNCONNECTED and id.shown["device"] != "none")
        id.qp = "none" if id.qp == "none" else "ERR"
        if id.state in ("established", "dreq_rcvd"):
            self.send(id, *(("DREQ", "dreq_sent") if id.state == "established" else ("DREP", "over")))

    def rdma_get_cm_event(self, channel: Channel, **given: str) -> Outcome:
        need(channel or not channel.nonblocking, "EAGAIN")
        return lambda: self.fetch(channel.pop(0), **given) if channel else None

    def fetch(self, event: Event, **given: str) -> str:
        """What user space makes of an event, and its text."""
        type, id, owner, results = event
        self.names[given["as"]] = event
        owner.unacknowledged += 1
        if type != "ADDR_ERROR":
            self.refresh(id)
        match type, id.qp:
            case "CONNECT_REQUEST", _:
                id.name = given.get("id", given["as"] + ".id")
                self.names[id.name], results = id, {"listen": owner.name, **results}
            case "CONNECT_RESPONSE", "INIT" if id.state == "rep_rcvd":
                type, id.qp = "ESTABLISHED", "RTS"
                self.send(id, "RTU", "established")
            case "CONNECT_RESPONSE", "INIT" | "ERR":
                type, id.qp, results["status"] = "CONNECT_ERROR", "ERR", -1
            case "REJECTED", "INIT" | "RTS":
                id.qp = "ERR"
        return f"0 event RDMA_CM_EVENT_{type} id={id.name}" + "".join(f" {k}={v}" for k, v in results.items() if v)

    def rdma_ack_cm_event(self, event: Event) -> Outcome:
        event.owner.unacknowledged -= 1

    def call(self, lane: str, function: str, name: str, words: list[str]) -> str:
        """Carry out a call, and give its outcome."""
        given = dict(word.split("=", 1) for word in words if "=" in word)
        flags = (word for word in words if "=" not in word)
        self.side = lane.split("/")[0]
        try:
            outcome = CALLS[function](self, self.names.get(name, name), *flags, **given)
        except OSError as refusal:
            return f"-1 {refusal}"
        self.blocked[lane] = outcome if callable(outcome) else lambda: outcome or "0"
        while (text := self.answer(["returned", lane])) == "waiting" and self.agenda:
            self.step()
        return "blocked" if text == "waiting" else text

    def answer(self, words: list[str]) -> str:
        """The answer to one request, without its time."""
        match words:
            case ["end"]:
                return f"leaks {len(self.ids)} ids" if self.ids else "ended"
            case ["heal"] | ["settle"]:
                return self.answer(["pass", "100ms"])      # longer than messages can go to and fro
            case ["pass", time] | [_, "wait", _, time]:
                channel = self.names[words[2]] if "wait" in words else Channel()
                number, unit = re.search(r"(\d+)(\w+)", time).groups()
                end = self.now + int(number) * UNITS[unit]
                while not channel and self.agenda and self.agenda[0][0] <= end:
                    self.step()
                self.now = self.now if channel else end
                return "done" if "pass" in words else "readable" if channel else "quiet"
            case ["returned", lane]:
                text = self.blocked[lane]()
                if text:
                    del self.blocked[lane]
                return text or "waiting"
            case [lane, function, name, *rest] if function in CALLS:
                return self.call(lane, function, name, rest)
        raise ValueError("no such request")


QUESTIONS = {   # calls that only ask
    "show": lambda _, id: "0" + "".join(f" {key}={value}" for key, value in {**id.shown, "qp": id.qp}.items()),
    "rdma_get_src_port": lambda _, id: f"0 port={id.shown['src'].partition(':')[2] or 0}",
    "rdma_get_dst_port": lambda _, id: f"0 port={id.shown['dst'].partition(':')[2] or 0}",
    "rdma_event_str": lambda _, number: f'0 text="{dict(enumerate(EVENTS)).get(int(number), "UNKNOWN EVENT")}"',
}
CALLS = {**QUESTIONS, **{name: call for name, call in vars(Manager).items() if name.startswith("rdma_")}}


def main() -> None:
    """Greet, then carry out conversations until the input ends."""
    print(GREETING, flush=True)
    manager, refusal = None, ""
    for line in sys.stdin:
        match re.findall(r'(?:"[^"]*"|[^\s"])+', line):
            case words if manager:
                try:
                    answer = manager.answer(words)
                    print(f"{manager.now}ns {answer}", flush=True)
                except (KeyError, AttributeError, TypeError, ValueError) as error:
                    print(f"error {error!r}", flush=True)
                manager = None if words == ["end"] else manager
            case ["topology", name] if name != "two-kernels":
                refusal = f"0s unsupported no topology {name}"
            case ["active" | "passive", function, *_] if function not in (*CALLS, "wait"):
                refusal = f"error no such call: {function}"
            case ["begin", _]:
                print(refusal or "0s begun", flush=True)
                manager, refusal = None if refusal else Manager(), ""


if __name__ == "__main__":
    main()
