"""The calls of librdmacm on one host, and what its events are made of.

Answers and effects: docs/rules.md, tables cm_id, channel and qp.
"""

from dataclasses import dataclass, field
from itertools import count
from typing import Any, Callable, NamedTuple, Optional, Union

import frames
import messages
from ib_cm import READY, Cm, Half
from world import MS, US, Host

ADDRESS_TIME, ROUTE_TIME, ONE_ATTEMPT = 20 * US, 15 * US, MS
EPHEMERAL = range(32768, 61000)
MAX_BACKLOG, MAX_DEPTH, MAX_RETRY = 1024, 128, 7
ANY, LOOPBACK = ("0.0.0.0", "::"), ("127.0.0.1", "::1")
SILENT = ("10.0.1.99", "fd00:1::99")
TCP, INFINIBAND = "RDMA_PS_TCP", "RDMA_PS_IB"      # the latter is for ids that RoCE does not carry
ACCEPTED = ("CONNECT", "DISCONNECT")
PARAMETERS = dict(responder_resources=1, initiator_depth=1, flow_control=1, retry_count=7, rnr_retry_count=7, srq=0,
                  qp_num=0)
NO_PARAMETERS = dict(PARAMETERS, responder_resources=255, initiator_depth=255, flow_control=0)
OF_A_REQUEST = ("responder_resources", "initiator_depth", "flow_control", "retry_count", "rnr_retry_count", "srq",
                "qp_num")
Outcome = Union[None, dict[str, Any], Callable[[], Any]]    # a function gives None for "not yet"


class Address(NamedTuple):
    """A socket address."""
    ip: str
    port: int

    @property
    def v6(self) -> bool:
        return ":" in self.ip

    @property
    def wild(self) -> bool:
        return self.ip in ANY + LOOPBACK


class Channel(list):
    """The events that are still to be fetched."""
    nonblocking = False


class Event(NamedTuple):
    """Something that a channel reports."""
    type: str
    id: "CmId"
    results: dict[str, Any]
    request: Optional["CmId"] = None


@dataclass(eq=False)
class CmId:
    """An identifier: the kernel's part, and what the library knows of it."""
    channel: Channel
    state: str = "IDLE"
    space: str = TCP
    source: Optional[Address] = None
    destination: Optional[Address] = None
    interface: bool = False         # it has met the host's interface
    device: bool = False            # and is on its device
    owns_port: int = 0              # the number of its taking
    backlog: int = 0
    half: Optional[Half] = None
    paths: int = 0
    known: bool = True              # a request is not known before it is accepted
    gone: bool = False              # the kernel's part is destroyed, or will be
    reported: int = 0
    # The library's part.
    shown: dict[str, Any] = field(default_factory=lambda: dict(device=False, source=None, destination=None, paths=0))
    qp: str = "none"
    qp_num: int = 0
    depths: tuple[int, int] = (0, 0)        # responder resources, initiator depth
    acknowledged: int = 0
    connect_error: bool = False


def need(condition: Any, errno: str = "EINVAL") -> None:
    """Refuse the call unless the condition holds."""
    if not condition:
        raise OSError(errno)


class RdmaCm:
    """The rdma_cm of a host. The method of its name carries out a call, or refuses it with OSError."""

    def __init__(self, host: Host, numbers: Any) -> None:
        self.host, self.numbers = host, numbers
        self.cm = Cm(host, self.take_request, self.listens)
        host.receive = self.cm.receive
        self.ids: list[CmId] = []       # that the library has
        self.bound: list[CmId] = []     # that own a port, in the order of their taking
        self.ports = iter(EPHEMERAL)
        self.takings = count(1)

    # Ports.

    def why_taken(self, id: CmId) -> Optional[str]:
        """The newest owner that is in the way decides."""
        for other in reversed(self.bound):
            if other is id or other.source.port != id.source.port or other.space != id.space:
                continue
            if other.source.wild or id.source.wild:
                return "EADDRNOTAVAIL"
            if other.source == id.source:
                return "EADDRINUSE"
        return None

    def take_port(self, id: CmId) -> None:
        if id.source.port == 0:
            for port in self.ports:
                id.source = Address(id.source.ip, port)
                if not self.why_taken(id):
                    break
        errno = self.why_taken(id)
        need(not errno, errno)
        self.bound.append(id)

    def listens(self, service: int) -> bool:
        return any(id.state == "LISTEN" and id.space == TCP and service == messages.TCP_SERVICE | id.source.port
                   for id in self.bound)

    def listener_for(self, to: Address) -> Optional[CmId]:
        for id in reversed(self.bound):
            fits = id.source.v6 == to.v6 and (id.source.wild or id.source.ip == to.ip)
            if id.space == TCP and id.source.port == to.port and (fits or (id.source.wild and id.source.v6)):
                return id if id.state == "LISTEN" else None
        return None

    # Reports of what happens below.

    def report(self, id: CmId, type: str, **results: Any) -> None:
        if id.known and not id.gone:
            id.channel.append(Event(type, id, results))

    def take_request(self, half: Half, req: dict[str, Any]) -> str:
        try:
            source, port, destination = messages.read_cma_header(req["private"])
        except ValueError:
            return "rejected"
        to = Address(destination, req["service_id"] & 0xffff)
        listener = self.listener_for(to)
        if not listener or req["service_type"] != 0:
            return "rejected"
        if listener.backlog <= 0:
            return "dropped"
        listener.backlog -= 1
        id = CmId(listener.channel, "CONNECT", TCP, to, Address(source, port), True, True, half=half, paths=1,
                  known=False)
        half.on_event = lambda kind, mad=None: self.on_ib_event(id, kind, mad)
        results = {key: req[key] for key in OF_A_REQUEST}
        results.update(responder_resources=req["initiator_depth"], initiator_depth=req["responder_resources"],
                       private=req["private"][messages.CMA_HEADER.size:])
        listener.channel.append(Event("CONNECT_REQUEST", listener, results, id))
        return "taken"

    def on_ib_event(self, id: CmId, kind: str, mad: Optional[dict[str, Any]]) -> None:
        if id.state != ("DISCONNECT" if kind == "TIMEWAIT_EXIT" else "CONNECT"):
            return
        match kind:
            case "REQ_ERROR" | "REP_ERROR":
                self.report(id, "UNREACHABLE", status=-110)
            case "REP":
                results = {key: mad.get(key, 0) for key in OF_A_REQUEST}
                results.update(responder_resources=mad["initiator_depth"], initiator_depth=mad["responder_resources"])
                self.report(id, "CONNECT_RESPONSE", **results, private=mad["private"])
            case "RTU":
                self.report(id, "ESTABLISHED")
            case "DREQ" | "DREP" | "DREQ_ERROR":
                id.state = "DISCONNECT"
                self.report(id, "DISCONNECTED", status=-110 if kind == "DREQ_ERROR" else 0)
            case "REJ":
                self.report(id, "REJECTED", status=mad["reason"], private=mad["private"])
            case "TIMEWAIT_EXIT":
                self.report(id, "TIMEWAIT_EXIT")

    # Channels and ids.

    def rdma_create_id(self, channel: Channel, space: str) -> CmId:
        need(space in (TCP, INFINIBAND))
        self.ids.append(CmId(channel, space=space))
        return self.ids[-1]

    def end_kernel_id(self, id: CmId, on_gone: Callable[[], None]) -> bool:
        """False when it still has a message to repeat: then `on_gone` is called later."""
        id.state, id.gone = "DESTROYING", True
        if id.half and not self.cm.destroy(id.half, lambda: (self.forget(id), on_gone())):
            return False
        self.forget(id)
        return True

    def forget(self, id: CmId) -> None:
        if id in self.bound:
            self.bound.remove(id)
        for event in [event for event in id.channel if event.id is id]:
            id.channel.remove(event)
            if event.request:
                self.end_kernel_id(event.request, lambda: None)

    def rdma_destroy_id(self, id: CmId) -> Outcome:
        waits = [] if self.end_kernel_id(id, lambda: waits.clear()) else [id]

        def finished() -> Optional[dict[str, Any]]:
            if waits or id.acknowledged < id.reported:
                return None
            id.qp = "none"
            if id in self.ids:
                self.ids.remove(id)
            return {}
        return finished

    def close(self, channel: Channel) -> Outcome:
        """The channel goes with the last of its ids."""
        waits: list[CmId] = []
        for id in [id for id in self.ids if id.channel is channel]:
            if not id.gone and not self.end_kernel_id(id, lambda id=id: waits.remove(id)):
                waits.append(id)
            self.ids.remove(id)
        return lambda: None if waits else {}

    # Addresses and routes.

    def bind(self, id: CmId, source: Address, destination: Optional[Address] = None) -> None:
        need(id.state == "IDLE")
        id.source = source
        if not source.wild:
            need(source.ip in self.host.addresses, "ENODEV" if id.interface else "EADDRNOTAVAIL")
            id.interface = True
            need(id.space == TCP)
            id.device = True
        id.destination = destination or Address(ANY[source.v6], 0)
        try:
            self.take_port(id)
        except OSError:
            id.device = False
            raise
        id.state = "BOUND"

    def query(self, id: CmId) -> None:
        """The library asks the kernel for the addresses."""
        id.shown.update(source=id.source, destination=id.destination, device=id.shown["device"] or id.device)

    def rdma_bind_addr(self, id: CmId, addr: Optional[Address]) -> None:
        need(addr)
        self.bind(id, addr)
        self.query(id)

    def rdma_listen(self, id: CmId, backlog: int) -> None:
        id.backlog = backlog if 0 < backlog <= MAX_BACKLOG else MAX_BACKLOG
        if id.state == "IDLE":
            self.bind(id, Address(ANY[0], 0))
        need(id.state == "BOUND")
        id.state = "LISTEN"
        self.query(id)

    def rdma_resolve_addr(self, id: CmId, src: Optional[Address], dst: Optional[Address], timeout_ms: int) -> None:
        need(dst and src != "other family")
        if id.state == "BOUND":
            id.destination = dst
        else:
            self.bind(id, src or Address(ANY[dst.v6], 0), dst)
        id.state = "ADDR_QUERY"
        try:
            span, status = self.start_resolving(id, dst, timeout_ms)
        except OSError:
            id.state = "BOUND"
            raise
        id.shown["destination"] = dst
        if span is not None:
            self.host.world.later(span, self.resolved, id, status)

    def start_resolving(self, id: CmId, dst: Address, timeout_ms: int) -> tuple[Optional[int], int]:
        """After which time the resolution ends, and how."""
        need(id.source.v6 == dst.v6)
        if dst.wild:
            if not id.device:
                id.device, id.source = True, Address(LOOPBACK[dst.v6], id.source.port)
            return ADDRESS_TIME, 0
        hosts = [address for host in self.host.wire.hosts.values() for address in host.addresses]
        routed = dst.ip in hosts or dst.ip in SILENT
        need(routed or (not dst.v6 and id.interface), "ENETUNREACH")
        if id.source.ip in LOOPBACK and not id.device:
            if dst.ip in self.host.addresses:
                return ADDRESS_TIME, 0
            need(dst.v6)
        id.interface = True
        if dst.ip in hosts:
            return ADDRESS_TIME, 0
        return (None if timeout_ms < 0 else timeout_ms * MS or ONE_ATTEMPT), -110

    def resolved(self, id: CmId, status: int) -> None:
        if id.state != "ADDR_QUERY":
            return
        if status == 0 and not id.device:
            if id.space != TCP:
                status = -22
            elif id.interface:
                id.device, id.source = True, Address(self.host.addresses[id.source.v6], id.source.port)
            else:
                status = -19
        id.state = "BOUND" if status else "ADDR_RESOLVED"
        self.report(id, "ADDR_ERROR" if status else "ADDR_RESOLVED", status=status)

    def rdma_resolve_route(self, id: CmId, timeout_ms: int) -> None:
        need(timeout_ms and id.state == "ADDR_RESOLVED")
        need(id.interface, "ENODEV")
        id.state = "ROUTE_QUERY"
        self.host.world.later(ROUTE_TIME, self.routed, id)

    def routed(self, id: CmId) -> None:
        if id.state == "ROUTE_QUERY":
            id.state, id.paths = "ROUTE_RESOLVED", 1
            self.report(id, "ROUTE_RESOLVED")

    # Queue pairs, which move no bytes here.

    def may_init(self, id: CmId) -> bool:
        """Whether the CM has attributes for INIT."""
        return not id.half or id.half.state in READY | {"REQ_SENT", "MRA_REQ_RCVD"}

    def rdma_create_qp(self, id: CmId) -> None:
        need(id.qp == "none" and id.state != "LISTEN" and self.may_init(id))
        id.qp, id.qp_num = "INIT", next(self.numbers)

    def rdma_destroy_qp(self, id: CmId) -> None:
        id.qp = "none"

    def bring_up(self, id: CmId) -> None:
        if id.qp != "none":
            need(id.qp == "INIT" and id.half and id.half.state in READY)
            id.qp = "RTS"

    def break_qp(self, id: CmId) -> None:
        id.qp = "none" if id.qp == "none" else "ERR"

    # Connections.

    def parameters(self, id: CmId, given: Optional[dict[str, int]], most: tuple[int, int]) -> dict[str, int]:
        """What goes into the message."""
        values = dict(PARAMETERS, **given) if given is not None else dict(NO_PARAMETERS)
        depths = values["responder_resources"], values["initiator_depth"]
        need(all(depth <= MAX_DEPTH or depth == 255 for depth in depths))
        id.depths = tuple(limit if depth == 255 else depth for depth, limit in zip(depths, most))
        values["responder_resources"], values["initiator_depth"] = id.depths
        for key in ("retry_count", "rnr_retry_count"):
            values[key] = min(values[key], MAX_RETRY)
        return values

    def with_queue_pair(self, id: CmId, values: dict[str, int]) -> dict[str, int]:
        return values if id.qp == "none" else {**values, "srq": 0, "qp_num": id.qp_num}

    def rdma_connect(self, id: CmId, given: Optional[dict[str, int]], private: bytes) -> None:
        need(id.qp != "none" or given is not None)
        values = self.parameters(id, given, (MAX_DEPTH, MAX_DEPTH))
        need(id.state == "ROUTE_RESOLVED" and len(private) <= messages.USER_ROOM)
        id.state = "CONNECT"
        id.half = self.cm.make(id.source.ip, id.destination.ip, lambda kind, mad=None: self.on_ib_event(id, kind, mad))
        header = messages.cma_header(id.source.ip, id.source.port, id.destination.ip)
        label = (id.source.port * 31 + id.destination.port) & 0xfffff
        self.cm.request(id.half, service_id=messages.TCP_SERVICE | id.destination.port, flow_label=label,
                        private=header + private, **self.with_queue_pair(id, values))

    def rdma_accept(self, id: CmId, given: Optional[dict[str, int]], private: bytes) -> None:
        values = self.parameters(id, given, tuple(min(depth, MAX_DEPTH) for depth in id.depths))
        self.bring_up(id)
        del values["retry_count"]       # a REP has none
        before, id.known = id.known, True
        try:
            need(id.state == "CONNECT" and id.half)
            if len(private) > messages.room("REP") or not self.cm.reply(
                    id.half, private=private, **self.with_queue_pair(id, values)):
                self.cm.reject(id.half)
                raise OSError("EINVAL")
        except OSError:
            id.known = before
            self.break_qp(id)
            raise

    def rdma_reject(self, id: CmId, private: bytes) -> None:
        need(id.state in ACCEPTED and len(private) <= messages.room("REJ") and self.cm.reject(id.half, private))

    def establish(self, id: CmId) -> None:
        need(id.state == "CONNECT")
        if not self.cm.ready_to_use(id.half):
            self.cm.reject(id.half)
            raise OSError("EINVAL")

    def rdma_establish(self, id: CmId) -> None:
        need(id.qp == "none")
        self.establish(id)

    def rdma_disconnect(self, id: CmId) -> None:
        need(id.shown["device"])
        self.break_qp(id)
        if id.state == "LISTEN" and id.device:
            return
        need(id.half)
        self.cm.disconnect(id.half)

    # Events.

    def rdma_get_cm_event(self, channel: Channel) -> Outcome:
        need(channel or not channel.nonblocking, "EAGAIN")

        def fetched() -> Optional[Event]:
            while channel:
                if event := self.process(channel.pop(0)):
                    return event
            if channel.nonblocking:
                raise OSError("EAGAIN")
            return None
        return fetched

    def process(self, event: Event) -> Optional[Event]:
        """What the library makes of it while it fetches; None when it keeps it to itself."""
        type, id, results, request = event
        id.reported += 1
        match type:
            case "ADDR_RESOLVED":
                self.query(id)
            case "ROUTE_RESOLVED":
                id.shown["paths"] = id.paths
            case "CONNECT_REQUEST":
                id.backlog += 1
                self.ids.append(request)
                request.depths = results["responder_resources"], results["initiator_depth"]
                self.query(request)
                request.shown["paths"] = request.paths
            case "CONNECT_RESPONSE" if id.qp != "none":
                try:
                    self.bring_up(id)
                    self.establish(id)
                    return event._replace(type="ESTABLISHED")
                except OSError:
                    self.break_qp(id)
                    id.connect_error = True
                    return event._replace(type="CONNECT_ERROR", results={**results, "status": -1})
            case "REJECTED" | "DISCONNECTED" if id.connect_error:
                id.acknowledged += 1
                return None
            case "REJECTED":
                self.break_qp(id)
        return event

    def rdma_ack_cm_event(self, event: Event) -> None:
        event.id.acknowledged += 1
