"""The half of the driver that is on the simulated host: it makes the calls, by pyverbs on the distribution's librdmacm.

Both sides of a conversation are in this process, on a host with two devices. These go through ctypes:
rdma_destroy_qp, which pyverbs does not have; rdma_destroy_id and rdma_destroy_event_channel, which may wait, and pyverbs
holds Python's lock meanwhile; rdma_create_qp, with a protection domain of the library's in place of one of pyverbs';
rdma_bind_addr to addresses without a device, on which pyverbs crashes. Fields of ids and events are read by structs.py.
"""

import ctypes
import errno
import os
import re
import select
import sys
import threading
import time
from typing import Any, Callable, Optional

import pyverbs.cm_enums as cm_enums
from pyverbs.cmid import CMID, AddrInfo, CMEvent, CMEventChannel, ConnParam
from pyverbs.enums import IBV_QPT_RC
from pyverbs.pyverbs_error import PyverbsRDMAError

import structs
from shared_lines import SharedLines

UNITS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}
LONGEST = 1200.0        # seconds: longer than any timer
SIDES = {"active": ("10.0.0.1", "fd00::1"), "passive": ("10.0.1.1", "fd00:1::1")}
HOSTS = {**SIDES, "any": ("0.0.0.0", "::"), "loopback": ("127.0.0.1", "::1"), "silent": ("10.0.1.99", "fd00:1::99"),
         "foreign": ("10.9.9.9", "fd00:9::9"), "unroutable": ("192.168.55.1", "fd55::1")}
NAMES = {ip: name + (".v6" if v6 else "") for name, ips in HOSTS.items() for v6, ip in enumerate(ips)}
STATES = ["RESET", "INIT", "RTR", "RTS", "SQD", "SQE", "ERR"]
LIBRARY = ctypes.CDLL("librdmacm.so.1", use_errno=True)
Result = Optional[str]


def seconds(text: str) -> float:
    number, unit = re.fullmatch(r"(\d+)(\w+)", text).groups()
    return int(number) * UNITS[unit]


def host_and_port(text: str) -> tuple[str, str]:
    name, _, port = text.partition(":")
    return HOSTS[name.removesuffix(".v6")][name.endswith(".v6")], port


def address_text(address: Optional[tuple[str, int]]) -> str:
    return f"{NAMES.get(address[0], address[0])}:{address[1]}" if address else "none"


def data(text: str) -> bytes:
    pattern = r'(?:"(.*)"|count:(\d+)|hex:([0-9a-f]*))(?:\+(\d+))?'
    quoted, number, digits, zeros = (part or "" for part in re.fullmatch(pattern, text).groups())
    return quoted.encode() + bytes(range(1, int(number or 0) + 1)) + bytes.fromhex(digits) + bytes(int(zeros or 0))


def conn_param(flags: tuple[str, ...], private: str, given: dict[str, str]) -> Optional[ConnParam]:
    if "noparam" in flags:
        return None
    values = {key: int(value, 0) for key, value in given.items()}
    own = data(private)
    param = ConnParam(resources=values.get("responder_resources", 1), depth=values.get("initiator_depth", 1),
                      flow_control=values.get("flow_control", 1), retry=values.get("retry_count", 7),
                      rnr_retry=values.get("rnr_retry_count", 7), srq=values.get("srq", 0),
                      qp_num=values.get("qp_num", 0), data_len=len(own))
    if own:
        param.set_private_data(own)
    return param


class Waiting:
    """A call that waits in a thread of its own, with Python's lock free."""

    def __init__(self, function: Callable[..., Any], *arguments: Any) -> None:
        self.ended, self.tell = os.pipe()
        self.value: tuple[int, int] = (0, 0)
        threading.Thread(target=self.run, args=(function, *arguments), daemon=True).start()

    def run(self, function: Callable[..., Any], *arguments: Any) -> None:
        self.value = function(*arguments), ctypes.get_errno()
        os.write(self.tell, b".")

    def result(self, within: float) -> Result:
        if not select.select([self.ended], [], [], within)[0]:
            return None
        value, error = self.value
        return f"-1 {errno.errorcode[error]}" if value else "0"


class Side:
    """One conversation."""

    def __init__(self) -> None:
        self.names: dict[str, Any] = {}
        self.blocking: dict[Any, bool] = {}
        self.blocked: dict[str, Callable[[float], Result]] = {}       # by lane
        self.ids: set[Any] = set()
        self.kept: list[Any] = []           # so that nothing is destroyed by Python
        self.begin = time.monotonic_ns()

    def name_of(self, pointer: int) -> str:
        return next((name for name, thing in self.names.items()
                     if isinstance(thing, CMID) and structs.pointer_of(thing).value == pointer), "?")

    # Calls.

    def rdma_create_event_channel(self, name: str, *flags: str) -> None:
        channel = self.names[name] = CMEventChannel()
        self.blocking[name] = "nonblocking" not in flags
        os.set_blocking(self.descriptor(channel), False)

    @staticmethod
    def descriptor(channel: CMEventChannel) -> int:
        return ctypes.c_int.from_address(structs.pointer_of(channel).value).value

    def waits(self, thing: Any, function: Any) -> Callable[[float], Result]:
        pointer = structs.pointer_of(thing)
        waiting = Waiting(function, ctypes.c_void_p(pointer.value))
        pointer.value = None                # what follows is no business of Python's
        self.kept.append(thing)
        return waiting.result

    def rdma_destroy_event_channel(self, channel: CMEventChannel) -> Callable[[float], Result]:
        LIBRARY.rdma_destroy_event_channel.restype = None
        return self.waits(channel, LIBRARY.rdma_destroy_event_channel)

    def rdma_create_id(self, name: str, on: str, ps: str = "RDMA_PS_TCP") -> None:
        space = getattr(cm_enums, ps) if hasattr(cm_enums, ps) else int(ps.rpartition("/")[2], 0)
        self.names[name] = CMID(creator=self.names[on], port_space=space)
        self.ids.add(self.names[name])

    def rdma_destroy_id(self, id: CMID) -> Callable[[float], Result]:
        self.ids.discard(id)
        if structs.struct_of(id, structs.Id).qp:
            self.rdma_destroy_qp(id)
        return self.waits(id, LIBRARY.rdma_destroy_id)

    def rdma_bind_addr(self, id: CMID, addr: str) -> None:
        host, port = host_and_port(addr)
        info = AddrInfo(src=host, src_service=port, port_space=cm_enums.RDMA_PS_TCP, flags=cm_enums.RAI_PASSIVE)
        if addr.startswith(("any", "loopback")):
            # pyverbs opens the device of the id, and crashes where there is none yet.
            source = structs.struct_of(info, structs.AddrInfo).source
            self.directly(LIBRARY.rdma_bind_addr, id, ctypes.c_void_p(source))
        else:
            id.bind_addr(info)

    def rdma_listen(self, id: CMID, backlog: str = "8") -> None:
        id.listen(int(backlog))

    def rdma_resolve_addr(self, id: CMID, dst: str, src: str = "null", timeout_ms: str = "2000") -> None:
        host, port = host_and_port(dst)
        from_host, from_port = host_and_port(src) if src != "null" else (None, None)
        id.resolve_addr(AddrInfo(src=from_host, dst=host, src_service=from_port, dst_service=port,
                                 port_space=cm_enums.RDMA_PS_TCP), int(timeout_ms))

    def rdma_resolve_route(self, id: CMID, timeout_ms: str = "2000") -> None:
        id.resolve_route(int(timeout_ms))

    def rdma_create_qp(self, id: CMID, type: str = "RC") -> None:
        attributes = structs.InitAttr(max_send_wr=4, max_recv_wr=4, max_send_sge=1, max_recv_sge=1, qp_type=IBV_QPT_RC)
        self.directly(LIBRARY.rdma_create_qp, id, None, ctypes.byref(attributes))

    @staticmethod
    def directly(function: Any, id: CMID, *arguments: Any) -> None:
        """A call that does not go through pyverbs."""
        if function(ctypes.c_void_p(structs.pointer_of(id).value), *arguments):
            raise PyverbsRDMAError(function.__name__, ctypes.get_errno())

    def rdma_destroy_qp(self, id: CMID) -> None:
        LIBRARY.rdma_destroy_qp.restype = None
        LIBRARY.rdma_destroy_qp(ctypes.c_void_p(structs.pointer_of(id).value))

    def rdma_connect(self, id: CMID, *flags: str, private: str = '""', **given: str) -> None:
        id.connect(conn_param(flags, private, given))

    def rdma_accept(self, id: CMID, *flags: str, private: str = '""', **given: str) -> None:
        id.accept(conn_param(flags, private, given))

    def rdma_reject(self, id: CMID, private: str = '""') -> None:
        own = data(private)
        id.reject(*([own] if own else []))

    def rdma_establish(self, id: CMID) -> None:
        id.establish()

    def rdma_disconnect(self, id: CMID) -> None:
        id.disconnect()

    def rdma_get_cm_event(self, channel: CMEventChannel, **given: str) -> Any:
        name = next(name for name, thing in self.names.items() if thing is channel)

        def fetched(within: float) -> Result:
            end = time.monotonic() + within
            while True:
                try:
                    return self.event_text(CMEvent(channel), **given)
                except PyverbsRDMAError as refusal:
                    if "EAGAIN" not in refusal_text(refusal) or not self.blocking[name]:
                        raise
                left = end - time.monotonic()
                if left <= 0 or not select.select([self.descriptor(channel)], [], [], left)[0]:
                    return None
        return fetched

    def event_text(self, event: CMEvent, **given: str) -> str:
        self.names[given["as"]] = event
        fields = structs.struct_of(event, structs.Event)
        words, conn = [], fields.conn
        if event.event_type == cm_enums.RDMA_CM_EVENT_CONNECT_REQUEST:
            id = CMID(creator=event, listen_id=self.by_pointer(fields.listen_id))
            self.names[given.get("id", given["as"] + ".id")] = id
            self.ids.add(id)
            words.append(f"listen={self.name_of(fields.listen_id)}")
        words.append(f"status={fields.status}")
        words += [f"{name}={getattr(conn, name)}" for name, _ in structs.ConnParam._fields_[2:]]
        text = f"0 event {event.event_str()} id={self.name_of(fields.id)} "
        text += " ".join(word for word in words if not word.endswith("=0"))
        if conn.private_data and conn.private_data_len:
            text += f" private=hex:{ctypes.string_at(conn.private_data, conn.private_data_len).hex()}"
        return text

    def by_pointer(self, pointer: int) -> Any:
        return self.names.get(self.name_of(pointer))

    def rdma_ack_cm_event(self, event: CMEvent) -> None:
        event.ack_cm_event()
        self.kept.append(event)

    def show(self, id: CMID) -> str:
        fields = structs.struct_of(id, structs.Id)
        base, source = ctypes.addressof(fields), structs.Id.source.offset
        addresses = [structs.address_at(base + source + at) for at in (0, 128)]
        qp = STATES[structs.QueuePair.from_address(fields.qp).state] if fields.qp else "none"
        name = id.dev_name if fields.verbs else "none"
        return (f"0 device={name} port_num={fields.port_num} src={address_text(addresses[0])} "
                f"dst={address_text(addresses[1])} num_paths={fields.num_paths} qp={qp}")

    def rdma_get_src_port(self, id: CMID) -> str:
        return self.port(id, 0)

    def rdma_get_dst_port(self, id: CMID) -> str:
        return self.port(id, 128)

    @staticmethod
    def port(id: CMID, offset: int) -> str:
        base = ctypes.addressof(structs.struct_of(id, structs.Id)) + structs.Id.source.offset
        address = structs.address_at(base + offset)
        return f"0 port={address[1] if address else 0}"

    def rdma_event_str(self, number: str) -> str:
        LIBRARY.rdma_event_str.restype = ctypes.c_char_p
        return f'0 text="{LIBRARY.rdma_event_str(int(number)).decode()}"'

    # Requests.

    def call(self, lane: str, function: str, name: str, words: list[str]) -> str:
        given = dict(word.split("=", 1) for word in words if "=" in word)
        flags = [word for word in words if "=" not in word]
        try:
            outcome = getattr(self, function)(self.names.get(name, name), *flags, **given)
            if callable(outcome):
                text = outcome(LONGEST)
                if text is None:
                    self.blocked[lane] = outcome
                return text or "blocked"
            return outcome or "0"
        except PyverbsRDMAError as refusal:
            return refusal_text(refusal)

    def answer(self, words: list[str]) -> str:
        match words:
            case ["end"]:
                return f"leaks {len(self.ids)} ids" if self.ids else "ended"
            case ["heal"]:
                return "done"
            case ["settle"]:
                time.sleep(0.1)
                return "done"
            case ["pass", span]:
                time.sleep(seconds(span))
                return "done"
            case ["returned", lane]:
                text = self.blocked[lane](0)
                if text:
                    del self.blocked[lane]
                return text or "waiting"
            case [_, "wait", channel, within]:
                descriptor = self.descriptor(self.names[channel])
                within = seconds(within.removeprefix("within="))
                return "readable" if select.select([descriptor], [], [], within)[0] else "quiet"
            case [lane, function, name, *rest] if function == "show" or function.startswith("rdma_"):
                return self.call(lane, function, name, rest)
        raise ValueError("no such request")


def refusal_text(refusal: Exception) -> str:
    return f"-1 {errno.errorcode[refusal.error_code]}"


def main() -> None:
    box = SharedLines(sys.argv[1], 1)
    side = Side()
    box.send("0ns begun")
    while True:
        words = re.findall(r'(?:"[^"]*"|[^\s"])+', box.receive())
        try:
            answer = side.answer(words)
            box.send(f"{time.monotonic_ns() - side.begin}ns {answer}")
        except (KeyError, AttributeError, TypeError, ValueError) as error:
            box.send(f"error {error!r}")
        if words == ["end"]:
            os._exit(0)     # Python would destroy in an order of its own


if __name__ == "__main__":
    main()
