"""The CM of one host: connections that are set up and ended by messages.

States, messages and timers: docs/sources/cm_protocol.md 1.1 to 1.7 and 3.
"""

from dataclasses import dataclass, field
from itertools import count
from typing import Any, Callable, Optional

import frames
import messages
from world import MS, Host

PACKET_LIFETIME, ACK_DELAY, RESPONSE_TIMEOUT, MAX_RETRIES, MRA_TIMEOUT = 18, 15, 20, 15, 24
TIMED_OUT, NO_LISTENER, STALE, OTHER_GID, ALTERNATE_GID, BY_CONSUMER = 4, 8, 10, 12, 18, 28   # reasons of a REJ
READY = {"MRA_REQ_SENT", "REP_SENT", "MRA_REP_RCVD", "MRA_REP_SENT", "ESTABLISHED"}
ASKS, ANSWERS = {"REQ_SENT", "MRA_REQ_RCVD"}, {"REP_SENT", "MRA_REP_RCVD"}


def span(exponent: int) -> int:
    """The time of an exponent of the protocol, in nanoseconds."""
    return (1 << max(exponent - 8, 0)) * MS


def ack_timeout(delay: int, lifetime: int) -> int:
    """The exponent of an acknowledgement's time-out: the device's delay, and the way there and back."""
    timeout = lifetime + 1
    if timeout >= delay:
        return min(timeout + (delay >= timeout - 1), 31)
    return min(delay + (timeout >= delay - 1), 31)


@dataclass(eq=False)
class Half:
    """One end of a connection."""
    cid: int
    source: str
    destination: str
    on_event: Callable[..., None]
    state: str = "IDLE"
    remote_cid: int = 0
    remote_guid: int = 0
    tid: int = 0
    qp_num: int = 0
    remote_qp: int = 0
    ack_exponent: int = 0
    base_interval: int = 0
    retries: int = 0
    outstanding: bytes = b""        # the message that is repeated
    outstanding_kind: str = ""
    outstanding_state: str = ""     # in which it was sent; its answer is not awaited in any other
    interval: int = 0
    retries_left: int = 0
    timer: int = 0                  # the number of the one that counts
    on_gone: Optional[Callable[[], None]] = None    # destroyed, but its message is still repeated

    @property
    def own_tid(self) -> int:
        """The transaction that it begins."""
        return 2 << 32 | self.cid


@dataclass(eq=False)
class Cm:
    """All connections of a host, and who takes its requests."""
    host: Host
    on_request: Callable[..., Any]                  # "taken", or the reason of a REJ, or "dropped"
    listens: Callable[[int], bool]
    halves: dict[int, Half] = field(default_factory=dict)       # by communication id
    cids: Any = field(default_factory=lambda: count(1))

    def make(self, source: str, destination: str, on_event: Callable[..., None]) -> Half:
        cid = next(self.cids) << 24 | 0x11_2233
        half = Half(cid, source, destination, on_event)
        half.tid = half.own_tid
        self.halves[cid] = half
        return half

    # Who is meant.

    def match(self, local: int, remote: int) -> Optional[Half]:
        half = self.halves.get(local)
        return half if half and half.remote_cid == remote and not half.on_gone else None

    def peer(self, guid: int, **known: int) -> Optional[Half]:
        """The live connection to an adapter with that remote cid, or queue pair."""
        for half in self.halves.values():
            if half.remote_guid == guid and all(getattr(half, key) == value for key, value in known.items()):
                return half
        return None

    # Sending.

    def send(self, half: Half, kind: str, **values: Any) -> None:
        """A message that is not repeated."""
        cids = {"local_cid": half.cid, "remote_cid": half.remote_cid}
        self.host.send(half.source, half.destination, messages.encode(kind, half.tid, {**cids, **values}))

    def answer(self, packet: frames.Packet, kind: str, tid: int, **values: Any) -> None:
        """A message of no connection."""
        self.host.send(packet.destination, packet.source, messages.encode(kind, tid, values))

    def begin(self, half: Half, state: str, kind: str, **values: Any) -> None:
        """A message that is repeated until it is answered."""
        cids = {"local_cid": half.cid} if kind == "REQ" else {"local_cid": half.cid, "remote_cid": half.remote_cid}
        half.state = half.outstanding_state = state
        tid = half.own_tid if kind == "DREQ" else half.tid
        half.outstanding_kind, half.outstanding = kind, messages.encode(kind, tid, {**cids, **values})
        half.interval, half.retries_left = half.base_interval, half.retries
        self.transmit(half)

    def transmit(self, half: Half) -> None:
        self.host.send(half.source, half.destination, half.outstanding)
        self.start_timer(half)

    def start_timer(self, half: Half) -> None:
        half.timer += 1
        self.host.world.later(half.interval, self.expire, half, half.timer)

    def cancel(self, half: Half) -> None:
        half.outstanding = b""
        half.timer += 1

    def expire(self, half: Half, timer: int) -> None:
        if timer != half.timer or not half.outstanding:
            return
        if half.retries_left:
            half.retries_left -= 1
            self.transmit(half)
            return
        self.cancel(half)
        if half.on_gone:
            self.free(half)
            half.on_gone()
        elif half.state == half.outstanding_state:
            self.leave(half, half.outstanding_kind == "DREQ")
            half.on_event(half.outstanding_kind + "_ERROR")

    def leave(self, half: Half, timewait: bool) -> None:
        """The connection is over; its peer's ids are free again."""
        half.remote_guid = 0
        half.state = "TIMEWAIT" if timewait else "IDLE"
        if timewait:
            self.host.world.later(span(half.ack_exponent), self.end_timewait, half)

    def end_timewait(self, half: Half) -> None:
        if half.state == "TIMEWAIT" and half.cid in self.halves and not half.on_gone:
            half.state = "IDLE"
            half.on_event("TIMEWAIT_EXIT")

    def free(self, half: Half) -> None:
        del self.halves[half.cid]
        half.remote_guid = 0

    # What the layer above asks for. False: it cannot be done in this state.

    def request(self, half: Half, **values: Any) -> None:
        """The remaining fields are those of the path, which the address has."""
        half.qp_num, half.ack_exponent, half.retries = values["qp_num"], PACKET_LIFETIME + 1, MAX_RETRIES
        half.base_interval = 2 * span(PACKET_LIFETIME) + span(RESPONSE_TIMEOUT)
        self.begin(half, "REQ_SENT", "REQ", guid=frames.guid(half.source), remote_response_timeout=RESPONSE_TIMEOUT,
                   response_timeout=RESPONSE_TIMEOUT, p_key=0xffff, mtu=3, max_retries=MAX_RETRIES, local_lid=0xffff,
                   remote_lid=0xffff, local_gid=messages.gid(half.source), remote_gid=messages.gid(half.destination),
                   hop_limit=64, ack_timeout=ack_timeout(ACK_DELAY, PACKET_LIFETIME), psn=half.cid >> 8, **values)

    def reply(self, half: Half, **values: Any) -> bool:
        if half.state != "MRA_REQ_SENT":
            return False
        half.qp_num = values["qp_num"]
        self.begin(half, "REP_SENT", "REP", guid=frames.guid(half.source), ack_delay=ACK_DELAY, psn=half.cid >> 8,
                   **values)
        return True

    def ready_to_use(self, half: Half) -> bool:
        if half.state != "MRA_REP_SENT":
            return False
        half.state = "ESTABLISHED"
        self.send(half, "RTU")
        return True

    def reject(self, half: Half, private: bytes = b"") -> bool:
        """Does not end the repetitions of a message of its own."""
        about = {"MRA_REQ_SENT": 0, "MRA_REP_SENT": 1}.get(half.state, 2)
        if half.state not in ASKS | ANSWERS and about == 2:
            return False
        self.send(half, "REJ", of=about, reason=BY_CONSUMER, private=private)
        self.leave(half, half.state in ANSWERS)
        return True

    def disconnect(self, half: Half) -> None:
        if half.state == "ESTABLISHED":
            self.begin(half, "DREQ_SENT", "DREQ", qp_num=half.remote_qp)
        elif half.state == "DREQ_RCVD":
            self.send(half, "DREP")
            self.leave(half, True)

    def destroy(self, half: Half, on_gone: Callable[[], None]) -> bool:
        """False when a message of its past is still repeated; then `on_gone` is called at its end."""
        if half.state == half.outstanding_state:
            self.cancel(half)
        match half.state:
            case "REQ_SENT" | "MRA_REQ_RCVD":
                self.send(half, "REJ", of=2, reason=TIMED_OUT, info_length=8, info=frames.guid(half.source).to_bytes(8))
            case "MRA_REQ_SENT" | "MRA_REP_SENT" | "REP_SENT" | "MRA_REP_RCVD":
                about = {"MRA_REQ_SENT": 0, "MRA_REP_SENT": 1}.get(half.state, 2)
                self.send(half, "REJ", of=about, reason=BY_CONSUMER)
            case "ESTABLISHED":
                half.tid = half.own_tid
                self.send(half, "DREQ", qp_num=half.remote_qp)
            case "DREQ_RCVD":
                self.send(half, "DREP")
        half.state = "IDLE"
        if half.outstanding:
            half.remote_guid, half.on_gone = 0, on_gone
            return False
        self.free(half)
        return True

    # What arrives.

    def receive(self, packet: frames.Packet) -> None:
        kind, tid, values = messages.decode(packet.mad)
        match kind:
            case "REQ":
                self.receive_request(packet, tid, values)
            case "REP":
                self.receive_reply(packet, tid, values)
            case "":
                if info := messages.class_port_info(packet.mad):
                    self.host.send(packet.destination, packet.source, info)
            case _:
                zero = kind in ("REJ", "MRA") and values["of"] == 0
                half = self.match(values["remote_cid"], 0 if zero else values["local_cid"])
                if kind == "REJ" and values["reason"] == TIMED_OUT and values["info_length"] == 8:
                    half = self.peer(int.from_bytes(values["info"][:8]), remote_cid=values["local_cid"])
                if half:
                    getattr(self, f"receive_{kind.lower()}")(half, tid, values)
                elif kind == "DREQ":
                    self.answer(packet, "DREP", tid, local_cid=values["remote_cid"], remote_cid=values["local_cid"])

    def receive_request(self, packet: frames.Packet, tid: int, req: dict[str, Any]) -> None:
        guid = req["guid"]
        if again := self.peer(guid, remote_cid=req["local_cid"]):
            if again.state == "MRA_REQ_SENT":
                self.send(again, "MRA", of=0, timeout=MRA_TIMEOUT)
            return
        def refuse(reason: int, **more: Any) -> None:
            self.answer(packet, "REJ", tid, remote_cid=req["local_cid"], of=0, reason=reason, **more)

        if stale := self.peer(guid, remote_qp=req["qp_num"]):
            refuse(STALE)
            self.end_stale(stale)
        elif not self.listens(req["service_id"]):
            refuse(NO_LISTENER)
        elif req["p_key"] | 0x8000 != 0xffff or messages.is_v4(req["local_gid"]) != messages.is_v4(req["remote_gid"]):
            refuse(OTHER_GID, info_length=16, info=messages.packed(packet.destination))
        elif req["alternate_lid"]:
            refuse(ALTERNATE_GID, info_length=16, info=req["remote_gid"].to_bytes(16))
        else:
            half = self.make(packet.destination, packet.source, lambda *_: None)
            half.state, half.tid, half.remote_cid, half.remote_guid = "MRA_REQ_SENT", tid, req["local_cid"], guid
            half.remote_qp, half.retries = req["qp_num"], req["max_retries"]
            half.ack_exponent = max(req["ack_timeout"], 1)
            half.base_interval = span(req["response_timeout"])
            verdict = self.on_request(half, req)
            if verdict != "taken":
                self.free(half)
            if verdict == "rejected":
                refuse(BY_CONSUMER)

    def end_stale(self, half: Half) -> None:
        if half.state == "ESTABLISHED":
            self.disconnect(half)

    def receive_reply(self, packet: frames.Packet, tid: int, rep: dict[str, Any]) -> None:
        half = self.match(rep["remote_cid"], 0)
        if not half:
            again = self.match(rep["remote_cid"], rep["local_cid"])
            if again and again.state == "MRA_REP_SENT":
                self.send(again, "MRA", of=1, timeout=MRA_TIMEOUT)
            elif again and again.state == "ESTABLISHED":
                self.send(again, "RTU")
        elif half.state not in ASKS or self.peer(rep["guid"], remote_cid=rep["local_cid"]):
            return
        elif stale := self.peer(rep["guid"], remote_qp=rep["qp_num"]):
            self.answer(packet, "REJ", tid, local_cid=half.cid, remote_cid=rep["local_cid"], of=1, reason=STALE)
            self.end_stale(stale)
        else:
            self.cancel(half)
            half.remote_cid, half.remote_guid, half.remote_qp = rep["local_cid"], rep["guid"], rep["qp_num"]
            half.ack_exponent = ack_timeout(rep["ack_delay"], half.ack_exponent - 1)
            half.state = "MRA_REP_SENT"
            half.on_event("REP", rep)

    def receive_mra(self, half: Half, _tid: int, mra: dict[str, Any]) -> None:
        states = {(0, "REQ_SENT"): "MRA_REQ_RCVD", (1, "REP_SENT"): "MRA_REP_RCVD"}
        if state := states.get((mra["of"], half.state)):
            half.state = half.outstanding_state = state
            half.interval = span(mra["timeout"]) + span(half.ack_exponent)      # for all later ones as well
            self.start_timer(half)

    def receive_rej(self, half: Half, _tid: int, rej: dict[str, Any]) -> None:
        if half.state in ASKS | ANSWERS | {"MRA_REQ_SENT"}:
            timewait = rej["reason"] == STALE
        elif half.state in ("MRA_REP_SENT", "ESTABLISHED", "DREQ_SENT"):
            timewait = True
        else:
            return
        self.cancel(half)
        self.leave(half, timewait)
        half.on_event("REJ", rej)

    def receive_rtu(self, half: Half, _tid: int, _rtu: dict[str, Any]) -> None:
        if half.state in ANSWERS:
            self.cancel(half)
            half.state = "ESTABLISHED"
            half.on_event("RTU")

    def receive_dreq(self, half: Half, tid: int, dreq: dict[str, Any]) -> None:
        if dreq["qp_num"] != half.qp_num:
            return
        if half.state == "TIMEWAIT":
            self.send(half, "DREP")
        elif half.state in ANSWERS | {"ESTABLISHED", "DREQ_SENT"}:
            self.cancel(half)
            half.state, half.tid = "DREQ_RCVD", tid
            half.on_event("DREQ")

    def receive_drep(self, half: Half, _tid: int, _drep: dict[str, Any]) -> None:
        if half.state in ("DREQ_SENT", "DREQ_RCVD"):
            self.cancel(half)
            self.leave(half, True)
            half.on_event("DREP")
