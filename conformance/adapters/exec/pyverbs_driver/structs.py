"""What pyverbs does not show of its objects: pointers, and the C structures behind them.

Layouts: <rdma/rdma_cma.h> and <infiniband/verbs.h> of rdma-core 44.
"""

import ctypes
import ipaddress
from ctypes import Structure, c_char, c_int, c_uint8, c_uint32, c_void_p
from typing import Any, Optional

from pyverbs.base import PyverbsCM


class ConnParam(Structure):
    """struct rdma_conn_param"""
    _fields_ = [("private_data", c_void_p), ("private_data_len", c_uint8), ("responder_resources", c_uint8),
                ("initiator_depth", c_uint8), ("flow_control", c_uint8), ("retry_count", c_uint8),
                ("rnr_retry_count", c_uint8), ("srq", c_uint8), ("qp_num", c_uint32)]


class Event(Structure):
    """struct rdma_cm_event"""
    _fields_ = [("id", c_void_p), ("listen_id", c_void_p), ("event", c_int), ("status", c_int), ("conn", ConnParam)]


class Id(Structure):
    """struct rdma_cm_id, up to its port; the addresses are struct rdma_addr, with 40 bytes of GIDs behind them"""
    _fields_ = [("verbs", c_void_p), ("channel", c_void_p), ("context", c_void_p), ("qp", c_void_p),
                ("source", c_char * 128), ("destination", c_char * 128), ("gids", c_char * 40), ("path_rec", c_void_p),
                ("num_paths", c_int), ("padding", c_int), ("ps", c_int), ("port_num", c_uint8)]


class AddrInfo(Structure):
    """struct rdma_addrinfo, up to its source"""
    _fields_ = [("flags", c_int), ("family", c_int), ("qp_type", c_int), ("port_space", c_int),
                ("source_length", c_int), ("destination_length", c_int), ("source", c_void_p)]


class InitAttr(Structure):
    """struct ibv_qp_init_attr"""
    _fields_ = [("qp_context", c_void_p), ("send_cq", c_void_p), ("recv_cq", c_void_p), ("srq", c_void_p),
                ("max_send_wr", c_uint32), ("max_recv_wr", c_uint32), ("max_send_sge", c_uint32),
                ("max_recv_sge", c_uint32), ("max_inline_data", c_uint32), ("qp_type", c_int), ("sq_sig_all", c_int)]


class QueuePair(Structure):
    """struct ibv_qp, up to its state"""
    _fields_ = [("pointers", c_void_p * 6), ("handle", c_uint32), ("qp_num", c_uint32), ("state", c_int)]


def pointer_of(thing: Any) -> c_void_p:
    """The place where a CMID, CMEvent or CMEventChannel keeps its pointer: the first behind what each object has."""
    return c_void_p.from_address(id(thing) + PyverbsCM.__basicsize__)


def struct_of(thing: Any, layout: Any) -> Any:
    return layout.from_address(pointer_of(thing).value)


def address_at(place: int) -> Optional[tuple[str, int]]:
    """Host and port of a sockaddr; None for an unspecified family."""
    raw = ctypes.string_at(place, 28)
    family, port = int.from_bytes(raw[:2], "little"), int.from_bytes(raw[2:4], "big")
    if family == 2:
        return str(ipaddress.ip_address(raw[4:8])), port
    return (str(ipaddress.ip_address(raw[8:24])), port) if family == 10 else None
