"""A connection manager over nothing but the wire, as a driver of cmcheck.

Requests of the driver protocol (docs/driver_protocol.md) come from standard input, and answers go to standard
output. Two hosts live in this process; all that they know of each other is in the RoCEv2 frames between them.

    driver.py [--pcap FOLDER]       keeps the frames of each conversation in a capture
"""

import os
import re
import sys
from itertools import count
from typing import Any, Callable, Optional

import frames
from rdma_cm import ANY, LOOPBACK, PARAMETERS, SILENT, Address, Channel, CmId, Event, RdmaCm
from world import MS, S, US, Rule, Wire, World

GREETING = """cmcheck-driver 1
name wirecm 1.0
capabilities time races lanes exit drop drop-nth delay duplicate corrupt direction late-start
without datagrams synchronous notify qp-attributes ece options migration
without endpoints multicast lookup devices written-events shared-queues data
topologies two-kernels
clock virtual
sees messages
ready"""
UNITS = {"ns": 1, "us": US, "ms": MS, "s": S}
QUIET = 20 * MS
SIDES = {"active": ("10.0.0.1", "fd00::1"), "passive": ("10.0.1.1", "fd00:1::1")}
DEVICES = {"active": "rxe0", "passive": "rxe1"}
IPS = {**SIDES, "any": ANY, "loopback": LOOPBACK, "silent": SILENT, "foreign": ("10.9.9.9", "fd00:9::9"),
       "unroutable": ("192.168.55.1", "fd55::1")}
NAMES = {ip: name + (".v6" if v6 else "") for name, ips in IPS.items() for v6, ip in enumerate(ips)}
EVENTS = ["RDMA_CM_EVENT_" + name for name in """ADDR_RESOLVED ADDR_ERROR ROUTE_RESOLVED ROUTE_ERROR CONNECT_REQUEST
CONNECT_RESPONSE CONNECT_ERROR UNREACHABLE REJECTED ESTABLISHED DISCONNECTED DEVICE_REMOVAL MULTICAST_JOIN
MULTICAST_ERROR ADDR_CHANGE TIMEWAIT_EXIT""".split()]   # in the order of their numbers


def duration(text: str) -> int:
    number, unit = re.fullmatch(r"(\d+)(\w+)", text).groups()
    return int(number) * UNITS[unit]


def address(text: str) -> Any:
    """None for a null pointer."""
    if text == "null":
        return None
    if text.startswith("family"):
        return "other family"
    name, _, port = text.partition(":")
    return Address(IPS[name.removesuffix(".v6")][name.endswith(".v6")], int(port))


def address_text(address: Optional[Address]) -> str:
    return f"{NAMES[address.ip]}:{address.port}" if address else "none"


def data(text: str) -> bytes:
    """Those of "text", count:20, or hex:00ff, and zero bytes behind."""
    pattern = r'(?:"(.*)"|count:(\d+)|hex:([0-9a-f]*))(?:\+(\d+))?'
    quoted, number, digits, zeros = (part or "" for part in re.fullmatch(pattern, text).groups())
    return quoted.encode() + bytes(range(1, int(number or 0) + 1)) + bytes.fromhex(digits) + bytes(int(zeros or 0))


class Conversation:
    """One conversation: its world, and what its names stand for."""

    def __init__(self, capture: Optional[frames.Capture]) -> None:
        self.world = World()
        self.wire = Wire(self.world, capture=capture)
        self.wire.connect(SIDES)
        self.cms = {side: RdmaCm(host, count(17)) for side, host in self.wire.hosts.items()}
        self.names: dict[str, Any] = {}
        self.blocked: dict[str, Callable[[], Any]] = {}     # by lane; None is "not yet"

    # Calls that need more than their arguments as numbers and bytes; RdmaCm has the others under their names.

    def rdma_create_event_channel(self, cm: RdmaCm, name: str, *flags: str) -> None:
        channel = self.names[name] = Channel()
        channel.nonblocking = "nonblocking" in flags

    def rdma_destroy_event_channel(self, cm: RdmaCm, channel: Channel) -> Any:
        return cm.close(channel)

    def rdma_create_id(self, cm: RdmaCm, name: str, on: str, ps: str = "RDMA_PS_TCP") -> None:
        self.names[name] = cm.rdma_create_id(self.names[on], ps)

    def rdma_bind_addr(self, cm: RdmaCm, id: CmId, addr: str) -> None:
        bound = address(addr)
        cm.rdma_bind_addr(id, None if bound == "other family" else bound)

    def rdma_listen(self, cm: RdmaCm, id: CmId, backlog: str = "8") -> None:
        cm.rdma_listen(id, int(backlog))

    def rdma_resolve_addr(self, cm: RdmaCm, id: CmId, dst: str = "null", src: str = "null",
                          timeout_ms: str = "2000") -> None:
        to = address(dst)
        cm.rdma_resolve_addr(id, address(src), None if to == "other family" else to, int(timeout_ms))

    def rdma_resolve_route(self, cm: RdmaCm, id: CmId, timeout_ms: str = "2000") -> None:
        cm.rdma_resolve_route(id, int(timeout_ms))

    def rdma_create_qp(self, cm: RdmaCm, id: CmId, type: str = "RC") -> None:
        cm.rdma_create_qp(id)

    def rdma_connect(self, cm: RdmaCm, id: CmId, *flags: str, private: str = '""', **given: str) -> None:
        cm.rdma_connect(id, self.given(flags, given), data(private))

    def rdma_accept(self, cm: RdmaCm, id: CmId, *flags: str, private: str = '""', **given: str) -> None:
        cm.rdma_accept(id, self.given(flags, given), data(private))

    @staticmethod
    def given(flags: tuple[str, ...], given: dict[str, str]) -> Optional[dict[str, int]]:
        return None if "noparam" in flags else {key: int(value, 0) for key, value in given.items() if key in PARAMETERS}

    def rdma_reject(self, cm: RdmaCm, id: CmId, private: str = '""') -> None:
        cm.rdma_reject(id, data(private))

    def rdma_get_cm_event(self, cm: RdmaCm, channel: Channel, **given: str) -> Any:
        fetched = cm.rdma_get_cm_event(channel)
        return lambda: (event := fetched()) and self.event_text(event, **given)

    def event_text(self, event: Event, **given: str) -> str:
        self.names[given["as"]] = event
        id, results = event.id, dict(event.results)
        if event.request:
            id = self.names[given.get("id", given["as"] + ".id")] = event.request
            results = {"listen": self.name_of(event.id), **results}
        private = results.pop("private", None)
        words = [f"0 event RDMA_CM_EVENT_{event.type} id={self.name_of(id)}"]
        words += [f"{key}={value}" for key, value in results.items() if value]
        return " ".join(words + ([] if private is None else [f"private=hex:{private.hex()}"]))

    def name_of(self, thing: Any) -> str:
        return next((name for name, other in self.names.items() if other is thing), "?")

    def show(self, cm: RdmaCm, id: CmId) -> str:
        shown = id.shown
        return (f"0 device={DEVICES[cm.host.side] if shown['device'] else 'none'} port_num={int(shown['device'])} "
                f"src={address_text(shown['source'])} dst={address_text(shown['destination'])} "
                f"num_paths={shown['paths']} qp={id.qp}")

    def rdma_get_src_port(self, cm: RdmaCm, id: CmId) -> str:
        return f"0 port={id.shown['source'].port if id.shown['source'] else 0}"

    def rdma_get_dst_port(self, cm: RdmaCm, id: CmId) -> str:
        return f"0 port={id.shown['destination'].port if id.shown['destination'] else 0}"

    def rdma_event_str(self, cm: RdmaCm, number: str) -> str:
        return f'0 text="{dict(enumerate(EVENTS)).get(int(number), "UNKNOWN EVENT")}"'

    def call(self, lane: str, function: str, name: str, words: list[str]) -> str:
        """Carry out a call, and give its outcome."""
        given = dict(word.split("=", 1) for word in words if "=" in word)
        flags = [word for word in words if "=" not in word]
        cm, thing = self.cms[lane.split("/")[0]], self.names.get(name, name)
        try:
            own = getattr(self, function, None)
            outcome = own(cm, thing, *flags, **given) if own else getattr(cm, function)(thing, *flags, **given)
            self.blocked[lane] = outcome if callable(outcome) else lambda: outcome or {}
            text = self.returned(lane)
            while text == "waiting" and self.world.agenda:
                self.world.step()
                text = self.returned(lane)
        except OSError as refusal:
            self.blocked.pop(lane, None)
            return f"-1 {refusal}"
        return "blocked" if text == "waiting" else text

    def returned(self, lane: str) -> str:
        outcome = self.blocked[lane]()
        if outcome is None:
            return "waiting"
        del self.blocked[lane]
        return outcome or "0"

    # Requests.

    def fault(self, kind: str, words: list[str]) -> str:
        given = dict(word.split("=", 1) for word in words if "=" in word)
        if kind == "exit":
            cm = self.cms[given["side"]]
            for channel in {id(one.channel): one.channel for one in cm.ids}.values():
                cm.close(channel)
            for lane in [lane for lane in self.blocked if lane.split("/")[0] == given["side"]]:
                del self.blocked[lane]
            return "done"
        first, _, last = given.get("nth", "1..").partition("..")
        begin = self.world.now + duration(given.get("after", "0s"))
        end = begin + duration(given["during"]) if "during" in given else float("inf")
        self.wire.rules.append(Rule(kind, words[0], given["from"], int(first), int(last) if last else
                                    None if ".." in given.get("nth", "1..") else int(first),
                                    duration(given.get("by", "0s")), begin, end))
        return "done"

    def settle(self) -> str:
        """Until nothing has arrived for a moment."""
        end = self.world.now + QUIET
        while self.world.agenda and self.world.agenda[0][0] <= end:
            self.world.step()
            end = self.world.now + QUIET
        self.world.now = end
        return "done"

    def answer(self, words: list[str]) -> str:
        """The answer to one request, without its time."""
        match words:
            case ["end"]:
                left = sum(len(cm.ids) for cm in self.cms.values())
                return f"leaks {left} ids" if left else "ended"
            case ["heal"]:
                self.wire.rules.clear()
                return "done"
            case ["settle"]:
                return self.settle()
            case ["pass", time]:
                self.world.run_until(self.world.now + duration(time))
                return "done"
            case ["fault", kind, *rest]:
                return self.fault(kind, rest)
            case ["returned", lane]:
                return self.returned(lane)
            case [_, "wait", channel, within]:
                events = self.names[channel]
                end = self.world.now + duration(within.removeprefix("within="))
                return "readable" if self.world.run_until(end, lambda: events) else "quiet"
            case [lane, function, name, *rest] if function in CALLS:
                return self.call(lane, function, name, rest)
        raise ValueError("no such request")


CALLS = {name for kind in (Conversation, RdmaCm) for name in vars(kind) if name.startswith("rdma_")} | {"show"}


class Driver:
    """The requests of a suite, one conversation after the other."""

    def __init__(self, folder: Optional[str]) -> None:
        self.folder, self.number = folder, 0
        self.conversation: Optional[Conversation] = None
        self.refusal = ""

    def begin(self) -> None:
        capture = None
        if self.folder:
            capture = frames.Capture(open(os.path.join(self.folder, f"{self.number}.pcap"), "wb"))
            self.number += 1
        self.conversation = Conversation(capture)

    def end(self) -> None:
        self.conversation.wire.close()
        if self.conversation.wire.capture:
            self.conversation.wire.capture.file.close()
        self.conversation = None

    def take(self, line: str) -> None:
        match re.findall(r'(?:"[^"]*"|[^\s"])+', line):
            case words if self.conversation:
                try:
                    answer = self.conversation.answer(words)
                    messages = self.conversation.wire.sent
                    print(*messages, f"{self.conversation.world.now}ns {answer}", sep="\n")
                    messages.clear()
                except (KeyError, AttributeError, TypeError, ValueError) as error:
                    print(f"error {error!r}")
                if words == ["end"]:
                    self.end()
                sys.stdout.flush()
            case ["topology", name] if name != "two-kernels":
                self.refusal = f"0s unsupported no topology {name}"
            case ["active" | "passive", function, *_] if function not in CALLS | {"wait", "&"}:
                self.refusal = f"error no such call: {function}"
            case ["begin", _]:
                if not self.refusal:
                    self.begin()
                print(self.refusal or "0s begun", flush=True)
                self.refusal = ""


def main() -> None:
    """Greet, then carry out conversations until the input ends."""
    folder = sys.argv[2] if sys.argv[1:2] == ["--pcap"] else None
    print(GREETING, flush=True)
    driver = Driver(folder)
    together: list[str] = []
    awaited = 0
    for line in sys.stdin:
        if line.startswith("together "):
            awaited = int(line.split()[1])
        elif awaited:
            together.append(line)
            if len(together) == awaited:
                for one in together:
                    driver.take(one)
                together, awaited = [], 0
        else:
            driver.take(line)


if __name__ == "__main__":
    main()
