"""RoCEv2 frames that carry messages of the CM, and captures of them.

Ethernet, IPv4 or IPv6, UDP, BTH, DETH, 256 bytes of MAD, ICRC: docs/sources/cm_protocol.md 2.1, 2.2.
"""

import ipaddress
import struct
import zlib
from typing import BinaryIO, NamedTuple, Optional

ROCE_PORT, SOURCE_PORT = 4791, 55410
UD_SEND, CM_QUEUE_PAIR, CM_QKEY = 0x64, 1, 0x80010000
MAD_SIZE = 256
ETHERNET, IP4, IP6 = struct.Struct("!6s6sH"), struct.Struct("!BBHHHBBH4s4s"), struct.Struct("!IHBB16s16s")
UDP, BTH, DETH = struct.Struct("!HHHH"), struct.Struct("!BBHIBBH"), struct.Struct("!II")
AFTER_IP = UDP.size + BTH.size + DETH.size + MAD_SIZE + 4
IP4_TYPE, IP6_TYPE, UDP_PROTOCOL = 0x0800, 0x86dd, 17


class Packet(NamedTuple):
    """What a frame says."""
    source: str
    destination: str
    mad: bytes


def mac(address: str) -> bytes:
    """The hardware address of the interface that has an address."""
    return bytes.fromhex("5254") + ipaddress.ip_address(address).packed[-4:]


def guid(address: str) -> int:
    """The GUID of the channel adapter behind it: EUI-64."""
    own = mac(address)
    return int.from_bytes(bytes([own[0] ^ 2]) + own[1:3] + b"\xff\xfe" + own[3:])


def sum16(header: bytes) -> int:
    """The check sum of an IPv4 header whose own check sum is 0."""
    total = sum(struct.unpack(f"!{len(header) // 2}H", header))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    return total ^ 0xffff


def icrc(packet: bytes) -> bytes:
    """The check sum over what does not change on the way: what may is taken as ones."""
    masked = bytearray(packet)
    if packet[0] >> 4 == 4:
        changing, udp = [1, 8, 10, 11], IP4.size
    else:
        changing, udp = [1, 2, 3, 7], IP6.size
        masked[0] |= 0x0f       # the upper half of the traffic class
    for byte in [*changing, udp + 6, udp + 7, udp + UDP.size + 4]:
        masked[byte] = 0xff
    return struct.pack("<I", zlib.crc32(b"\xff" * 8 + masked))


def encode(packet: Packet, number: int) -> bytes:
    """The frame; the number counts the frames of its sender."""
    source, destination = (ipaddress.ip_address(a) for a in packet[:2])
    if source.version == 4:
        header = IP4.pack(0x45, 0, IP4.size + AFTER_IP, number & 0xffff, 0x4000, 64, UDP_PROTOCOL, 0,
                          source.packed, destination.packed)
        ip = header[:10] + struct.pack("!H", sum16(header)) + header[12:]
    else:
        ip = IP6.pack(6 << 28, AFTER_IP, UDP_PROTOCOL, 64, source.packed, destination.packed)
    body = ip + UDP.pack(SOURCE_PORT, ROCE_PORT, AFTER_IP, 0)
    body += BTH.pack(UD_SEND, 0, 0xffff, CM_QUEUE_PAIR, 0x80, number >> 16 & 0xff, number & 0xffff)
    body += DETH.pack(CM_QKEY, CM_QUEUE_PAIR) + packet.mad
    ethernet = ETHERNET.pack(mac(packet.destination), mac(packet.source), IP4_TYPE if source.version == 4 else IP6_TYPE)
    return ethernet + body + icrc(body)


def decode(frame: bytes) -> Optional[Packet]:
    """What a frame for the CM says; None for other frames, and damaged ones."""
    if len(frame) < ETHERNET.size + IP4.size:
        return None
    type, body, check = ETHERNET.unpack_from(frame)[2], frame[ETHERNET.size:-4], frame[-4:]
    header = {IP4_TYPE: IP4, IP6_TYPE: IP6}.get(type)
    if header is None or len(body) != header.size + AFTER_IP - 4 or icrc(body) != check:
        return None
    ip = header.unpack_from(body)
    source, destination = (str(ipaddress.ip_address(a)) for a in ip[-2:])
    protocol, udp = (ip[6] if header is IP4 else ip[2]), UDP.unpack_from(body, header.size)
    bth = BTH.unpack_from(body, header.size + UDP.size)
    deth = DETH.unpack_from(body, header.size + UDP.size + BTH.size)
    if (protocol, udp[1], bth[0], bth[3], deth[0]) != (UDP_PROTOCOL, ROCE_PORT, UD_SEND, CM_QUEUE_PAIR, CM_QKEY):
        return None
    return Packet(source, destination, body[-MAD_SIZE:])


class Capture:
    """A file in the pcap format, with times in nanoseconds."""

    def __init__(self, file: BinaryIO) -> None:
        self.file = file
        file.write(struct.pack("<IHHiIII", 0xa1b23c4d, 2, 4, 0, 0, 65535, 1))

    def write(self, now: int, frame: bytes) -> None:
        self.file.write(struct.pack("<IIII", *divmod(now, 10**9), len(frame), len(frame)) + frame)
