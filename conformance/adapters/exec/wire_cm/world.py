"""Virtual time, two hosts, and the link between them, which carries whole frames."""

import heapq
import socket
from dataclasses import dataclass, field
from itertools import count
from typing import Any, Callable, Optional

import frames
import messages

US, MS, S = 1_000, 1_000_000, 1_000_000_000     # the clock counts nanoseconds
FLIGHT = 10 * US                                # how long a frame is on its way
BEHIND = US                                     # how far a doubled one is behind the first


class World:
    """Time moves only while a request waits for something."""

    def __init__(self) -> None:
        self.now = 0
        self.agenda: list[tuple[int, int, Callable[..., Any], tuple[Any, ...]]] = []
        self.numbers = count()

    def later(self, delay: int, action: Callable[..., Any], *arguments: Any) -> None:
        heapq.heappush(self.agenda, (self.now + delay, next(self.numbers), action, arguments))

    def step(self) -> None:
        """Go on to the next thing on the agenda."""
        self.now, _, action, arguments = heapq.heappop(self.agenda)
        action(*arguments)

    def run_until(self, end: int, condition: Callable[[], Any] = lambda: False) -> bool:
        """Whether the condition held by then."""
        while not condition() and self.agenda and self.agenda[0][0] <= end:
            self.step()
        held = bool(condition())
        self.now = self.now if held else max(end, self.now)
        return held


@dataclass
class Rule:
    """A fault of frames; the first that matches decides."""
    kind: str
    message: str
    side: str
    first: int = 1
    last: Optional[int] = None
    by: int = 0
    begin: int = 0
    end: float = float("inf")
    matched: int = 0

    def decides(self, now: int, side: str, message: str) -> bool:
        if self.side not in (side, "any") or self.message not in (message, "any") or not self.begin <= now < self.end:
            return False
        self.matched += 1
        return self.first <= self.matched and (self.last is None or self.matched <= self.last)


@dataclass(eq=False)
class Host:
    """A side's interface. `receive` is who listens to it."""
    world: World
    wire: "Wire"
    side: str
    addresses: tuple[str, ...]
    port: socket.socket
    receive: Callable[[frames.Packet], None] = lambda _: None
    frames_sent: int = 0

    def send(self, source: str, destination: str, mad: bytes) -> None:
        frame = frames.encode(frames.Packet(source, destination, mad), self.frames_sent)
        self.frames_sent += 1
        self.wire.carry(self, frame, destination in self.addresses)

    def arrive(self, frame: bytes) -> None:
        packet = frames.decode(frame)
        if packet and packet.destination in self.addresses:
            self.receive(packet)


@dataclass
class Wire:
    """The link. Frames go through a pair of sockets, as through a cable."""
    world: World
    hosts: dict[str, Host] = field(default_factory=dict)
    rules: list[Rule] = field(default_factory=list)
    sent: list[str] = field(default_factory=list)       # lines `mad` of the driver protocol
    capture: Optional[frames.Capture] = None

    def connect(self, addresses: dict[str, tuple[str, ...]]) -> None:
        ports = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        for port, (side, own) in zip(ports, addresses.items()):
            self.hosts[side] = Host(self.world, self, side, own, port)

    def close(self) -> None:
        for host in self.hosts.values():
            host.port.close()

    def carry(self, sender: Host, frame: bytes, to_itself: bool) -> None:
        receiver = next(h for h in self.hosts.values() if (h is sender) == to_itself)
        kind, _, values = messages.decode(frame[-4 - frames.MAD_SIZE:-4])
        rule = next((r for r in self.rules if r.decides(self.world.now, sender.side, kind)), None)
        fault = rule.kind if rule and not to_itself else ""
        if self.capture and not to_itself:
            for _ in range(2 if fault == "duplicate" else 1):
                self.capture.write(self.world.now, frame)
        self.sent.append(f"{self.world.now}ns mad {sender.side} {describe(kind, values)}"
                         + {"drop": " lost", "corrupt": " corrupt"}.get(fault, ""))
        if fault == "drop":
            return
        if fault == "corrupt":
            frame = frame[:-8] + bytes([frame[-8] ^ 1]) + frame[-7:]
        if not to_itself:
            sender.port.send(frame)
            frame = receiver.port.recv(len(frame))
        delay = FLIGHT + (rule.by if rule and fault == "delay" else 0)
        self.world.later(delay, receiver.arrive, frame)
        if fault == "duplicate":
            self.world.later(delay + BEHIND, receiver.arrive, frame)


def describe(kind: str, values: dict[str, Any]) -> str:
    """The words of a message: docs/language.md, messages."""
    words = [kind]
    if kind == "REJ":
        words.append(f"reason={values['reason']}")
    if kind in ("REJ", "MRA"):
        words.append(f"of={messages.OF[values['of']]}")
    for key, name in (("info_length", "info"), ("timeout", "timeout")):
        if values.get(key):
            words.append(f"{name}={values[key]}")
    if not values["local_cid"]:
        words.append("unnamed")
    if "private" in values:
        private = values["private"][messages.CMA_HEADER.size if kind == "REQ" else 0:]
        words.append(f"private=hex:{(private.rstrip(bytes(1)) if kind == 'REJ' else private).hex()}")
    return " ".join(words)
