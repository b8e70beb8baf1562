"""Messages of the CM: where each field stands in the 256 bytes of a MAD.

Layouts: docs/sources/cm_protocol.md 2.3 to 2.6. Bytes of a field count from the end of the MAD header.
"""

import ipaddress
import struct
from typing import Any, NamedTuple

HEADER = struct.Struct("!BBBBHHQHHI")
CM_CLASS, CLASS_VERSION, SEND = 7, 2, 3
CLASS_PORT_INFO, GET, SET, GET_RESPONSE, NOT_SUPPORTED = 1, 1, 2, 0x81, 0x0c
BODY_BITS = (256 - HEADER.size) * 8
CIDS = "local_cid 0.0:32 remote_cid 4.0:32 "
LAYOUTS = {     # the fields that are not reserved, and that this CM uses: NAME BYTE.BIT:WIDTH
    "REQ": (0x10, "local_cid 0.0:32 service_id 8.0:64 guid 16.0:64 qp_num 32.0:24 responder_resources 35.0:8 "
                  "initiator_depth 39.0:8 remote_response_timeout 43.0:5 service_type 43.5:2 flow_control 43.7:1 "
                  "psn 44.0:24 response_timeout 47.0:5 retry_count 47.5:3 p_key 48.0:16 mtu 50.0:4 "
                  "rnr_retry_count 50.5:3 max_retries 51.0:4 srq 51.4:1 local_lid 52.0:16 remote_lid 54.0:16 "
                  "local_gid 56.0:128 remote_gid 72.0:128 flow_label 88.0:20 hop_limit 93.0:8 ack_timeout 95.0:5 "
                  "alternate_lid 96.0:16 private 140.0:736"),
    "MRA": (0x11, CIDS + "of 8.0:2 timeout 9.0:5"),
    "REJ": (0x12, CIDS + "of 8.0:2 info_length 9.0:7 reason 10.0:16 info 12.0:576 private 84.0:1184"),
    "REP": (0x13, CIDS + "qp_num 12.0:24 psn 20.0:24 responder_resources 24.0:8 initiator_depth 25.0:8 "
                         "ack_delay 26.0:5 flow_control 26.7:1 rnr_retry_count 27.0:3 srq 27.3:1 guid 28.0:64 "
                         "private 36.0:1568"),
    "RTU": (0x14, CIDS),
    "DREQ": (0x15, CIDS + "qp_num 8.0:24"),
    "DREP": (0x16, CIDS),
}
KINDS = {number: kind for kind, (number, _) in LAYOUTS.items()}
OF = ["REQ", "REP", "other"]        # what a REJ or an MRA answers


class Field(NamedTuple):
    """Bits of a body, counted from its end; longer ones than a GID are bytes."""
    shift: int
    width: int


def fields_of(text: str) -> dict[str, Field]:
    """The fields of a layout."""
    words, fields = text.split(), {}
    for name, place in zip(words[::2], words[1::2]):
        byte, bit, width = (int(n) for n in place.replace(":", ".").split("."))
        fields[name] = Field(BODY_BITS - 8 * byte - bit - width, width)
    return fields


FIELDS = {kind: fields_of(text) for kind, (_, text) in LAYOUTS.items()}


def room(kind: str, name: str = "private") -> int:
    """How many bytes a field holds."""
    return FIELDS[kind][name].width // 8


def encode(kind: str, tid: int, values: dict[str, Any]) -> bytes:
    """The MAD. What is not given is 0."""
    body = 0
    for name, value in values.items():
        field = FIELDS[kind][name]
        number = int.from_bytes(value.ljust(field.width // 8, b"\0")) if isinstance(value, bytes) else value
        body |= (number & (1 << field.width) - 1) << field.shift
    header = HEADER.pack(1, CM_CLASS, CLASS_VERSION, SEND, 0, 0, tid, LAYOUTS[kind][0], 0, 0)
    return header + body.to_bytes(BODY_BITS // 8)


def decode(mad: bytes) -> tuple[str, int, dict[str, Any]]:
    """Kind, transaction and values of a MAD; no kind for one that is no message of this CM."""
    base, mad_class, version, method, _, _, tid, attribute, _, _ = HEADER.unpack_from(mad)
    kind = KINDS.get(attribute, "")
    if (base, mad_class, version, method) != (1, CM_CLASS, CLASS_VERSION, SEND) or not kind:
        return "", tid, {}
    body = int.from_bytes(mad[HEADER.size:])
    values: dict[str, Any] = {}
    for name, field in FIELDS[kind].items():
        number = body >> field.shift & (1 << field.width) - 1
        values[name] = number.to_bytes(field.width // 8) if field.width > 128 else number
    return kind, tid, values


def class_port_info(mad: bytes) -> bytes:
    """The answer to who asks for what the class can do: nothing of that. Empty for other messages."""
    base, mad_class, version, method, _, extra, tid, attribute, _, modifier = HEADER.unpack_from(mad)
    if mad_class != CM_CLASS or attribute != CLASS_PORT_INFO or method not in (GET, SET):
        return b""
    return HEADER.pack(base, mad_class, version, GET_RESPONSE, NOT_SUPPORTED, extra, tid, attribute, 0,
                       modifier) + mad[HEADER.size:]


# The rdma_cm's own header, in front of the private data of a REQ.
CMA_HEADER = struct.Struct("!BBH16s16s")
TCP_SERVICE = 0x0106 << 16
USER_ROOM = room("REQ") - CMA_HEADER.size


def packed(address: str) -> bytes:
    """An address in 16 bytes; IPv4 stands in the last four."""
    return ipaddress.ip_address(address).packed.rjust(16, b"\0")


def gid(address: str) -> int:
    """The GID of an address."""
    own = ipaddress.ip_address(address)
    return int(own) | (0xffff << 32 if own.version == 4 else 0)


def is_v4(gid: int) -> bool:
    """Whether it is the GID of an IPv4 address."""
    return gid >> 32 == 0xffff


def cma_header(source: str, port: int, destination: str) -> bytes:
    """Who asks, and whom."""
    return CMA_HEADER.pack(0, ipaddress.ip_address(source).version << 4, port, packed(source), packed(destination))


def read_cma_header(private: bytes) -> tuple[str, int, str]:
    """Source, its port, and destination. ValueError for another version."""
    version, ip, port, *addresses = CMA_HEADER.unpack_from(private)
    if version != 0 or ip >> 4 not in (4, 6):
        raise ValueError("no CMA header")
    source, destination = (str(ipaddress.ip_address(a[-4:] if ip >> 4 == 4 else a)) for a in addresses)
    return source, port, destination
