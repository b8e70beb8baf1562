"""The connection manager on a real network interface: a program that listens, accepts, and disconnects when its peer does.

    listen.py INTERFACE ADDRESS PORT

It needs CAP_NET_RAW and no RDMA device; the address is IPv4, and its own: the kernel need not have it, for it answers ARP
itself. It says "listening" on standard output, and ends with its standard input. Time is that of the machine.
"""

import ipaddress
import select
import socket
import struct
import sys
import time
from collections import deque
from itertools import count
from typing import Optional

import frames
from rdma_cm import TCP, Address, Channel, CmId, Event, RdmaCm
from world import FLIGHT, S, Host, World

ALL, OUTGOING = 0x0003, 4       # source: <linux/if_ether.h> ETH_P_ALL, <linux/if_packet.h> PACKET_OUTGOING
ARP_TYPE, ASKS, ANSWERS = 0x0806, 1, 2
ARP = struct.Struct("!HHBBH6s4s6s4s")
ARP_OVER_ETHERNET = (1, frames.IP4_TYPE, 6, 4)


class Cable:
    """The interface, with who is behind which address."""

    def __init__(self, world: World, interface: str, address: str) -> None:
        self.world = world
        self.socket = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ALL))
        self.socket.bind((interface, ALL))
        self.mac = self.socket.getsockname()[4]
        self.address = ipaddress.ip_address(address).packed
        self.macs: dict[bytes, bytes] = {}
        self.arrived: deque[bytes] = deque()    # frames that were not looked at yet
        self.host = Host(world, self, "passive", (address,), self.socket)
        self.hosts = {"passive": self.host}

    def carry(self, _sender: Host, frame: bytes, to_itself: bool) -> None:
        if to_itself:
            self.world.later(FLIGHT, self.host.arrive, frame)
        elif mac := self.macs.get(frame[frames.ETHERNET.size + 16:][:4]):
            self.socket.send(mac + self.mac + frame[12:])

    def take(self) -> None:
        frame, (_, _, kind, _, _) = self.socket.recvfrom(65536)
        if kind == OUTGOING or len(frame) < frames.ETHERNET.size + ARP.size:
            return
        type = frames.ETHERNET.unpack_from(frame)[2]
        if type == ARP_TYPE:
            if answer := self.arp(frame[frames.ETHERNET.size:]):
                self.socket.send(answer)
            self.look()
        elif (packet := frames.decode(frame)) and packet.destination in self.host.addresses:
            self.arrived.append(frame)
            if len(self.arrived) == 1:
                self.look()

    def look(self) -> None:
        """At the frames, in their order; while the sender of one is looked for, those behind it wait."""
        while self.arrived:
            ip = self.arrived[0][frames.ETHERNET.size + 12:][:4]
            if ip not in self.macs:
                self.socket.send(self.arp_frame(b"\xff" * 6, ASKS, bytes(6), ip))
                self.world.later(S, self.give_up, self.arrived[0])
                return
            self.host.arrive(self.arrived.popleft())

    def give_up(self, frame: bytes) -> None:
        if self.arrived and self.arrived[0] is frame:
            self.arrived.popleft()
            self.look()

    def arp(self, packet: bytes) -> Optional[bytes]:
        """The answer, if we are asked; who answers us is known from then on."""
        *form, operation, mac, ip, _, wanted = ARP.unpack_from(packet)
        if tuple(form) != ARP_OVER_ETHERNET or wanted != self.address:
            return None
        self.macs[ip] = mac
        return self.arp_frame(mac, ANSWERS, mac, ip) if operation == ASKS else None

    def arp_frame(self, to: bytes, operation: int, mac: bytes, ip: bytes) -> bytes:
        head = frames.ETHERNET.pack(to, self.mac, ARP_TYPE)
        return head + ARP.pack(*ARP_OVER_ETHERNET, operation, self.mac, self.address, mac, ip)


class Application:
    """What the events are answered with."""

    def __init__(self, cm: RdmaCm, address: Address) -> None:
        self.cm, self.channel = cm, Channel()
        listener = cm.rdma_create_id(self.channel, TCP)
        cm.rdma_bind_addr(listener, address)
        cm.rdma_listen(listener, 64)

    def serve(self) -> None:
        while self.channel:
            event: Optional[Event] = self.cm.rdma_get_cm_event(self.channel)()
            if event is None:
                return
            self.cm.rdma_ack_cm_event(event)
            try:
                self.answer(event.type, event.request or event.id)
            except OSError:     # a call that is refused: the peer has changed its mind
                pass

    def answer(self, type: str, id: CmId) -> None:
        if type == "CONNECT_REQUEST":
            self.cm.rdma_create_qp(id)
            self.cm.rdma_accept(id, {}, b"")
        elif type == "DISCONNECTED":
            self.cm.rdma_disconnect(id)


def main() -> None:
    """Serve until the input ends."""
    interface, address, port = sys.argv[1:]
    world = World()
    cable = Cable(world, interface, address)
    begin = time.monotonic_ns()
    application = Application(RdmaCm(cable.host, count(17)), Address(address, int(port)))
    print("listening", flush=True)
    while True:
        world.run_until(time.monotonic_ns() - begin)
        application.serve()
        wait = (world.agenda[0][0] - world.now) / 1e9 if world.agenda else None
        ready, _, _ = select.select([cable.socket, sys.stdin], [], [], wait and max(wait, 0))
        if sys.stdin in ready:
            return
        world.run_until(time.monotonic_ns() - begin)
        if ready:
            cable.take()


if __name__ == "__main__":
    main()
