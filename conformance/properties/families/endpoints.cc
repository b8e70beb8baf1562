// Endpoints: rdma_create_ep, and the lookups of the library for it.

#include <algorithm>
#include <array>

#include "conformance/properties/facts.h"
#include "conformance/properties/family.h"
#include "conformance/properties/registry.h"
#include "model/conversation/print.h"

namespace cm::families {
namespace {

// The id's fields that `show` prints after the record, if no call was made on it in between.
const MadeCall* ShowBehind(const HistoryIndex& index, IdRef id, size_t at) {
  for (const MadeCall* call : index.CallsOn(id)) {
    if (call->at <= at || call->kind() == CallKind::kShowEvent) continue;
    return call->kind() == CallKind::kShow && call->reply.succeeded() ? call : nullptr;
  }
  return nullptr;
}

const Shown& ShownBy(const HistoryIndex& index, const MadeCall& show) {
  return *std::get<seen::Answered>(index.history().records[show.at].seen).shown;
}

void ActiveIsReady(const HistoryIndex& index, PropertyResult& result) {
  for (const MadeCall& call : index.calls()) {
    const auto* ep = std::get_if<call::CreateEp>(call.call);
    if (ep == nullptr || ep->passive) continue;
    const auto [reply, at] = EndOf(index, call);
    const MadeCall* show = reply.succeeded() ? ShowBehind(index, ep->id, at) : nullptr;
    if (show == nullptr) continue;
    result.Arose();
    const Shown& shown = ShownBy(index, *show);
    const int paths = index.OverIwarp() ? 0 : 1;
    if (shown.device_known && shown.num_paths == paths && shown.qp.has_value() == ep->with_qp)
      continue;
    result.Violated(show->at, ToString(shown, index.topology()),
                    ep->with_qp ? "a device, a path and a queue pair" : "a device and a path");
  }
}

void RequestsHaveQps(const HistoryIndex& index, PropertyResult& result) {
  for (const MadeCall& call : index.calls()) {
    const auto* get = std::get_if<call::GetRequest>(call.call);
    if (get == nullptr) continue;
    const auto made = index.CallsOn(get->id, CallKind::kCreateEp);
    const auto [reply, at] = EndOf(index, call);
    if (made.empty() || !reply.succeeded()) continue;
    const MadeCall* show = ShowBehind(index, get->request, at);
    if (show == nullptr) continue;
    result.Arose();
    const bool wanted = std::get<call::CreateEp>(*made.front()->call).with_qp;
    if (ShownBy(index, *show).qp.has_value() != wanted)
      result.Violated(show->at, ToString(ShownBy(index, *show), index.topology()),
                      wanted ? "a queue pair" : "no queue pair: none was asked for");
  }
}

// Where an endpoint that failed requested the port of the address.
bool Asked(const HistoryIndex& index, const MadeCall& call, const Address& address, size_t before) {
  const auto* ep = std::get_if<call::CreateEp>(call.call);
  if (ep == nullptr || ep->source != address) return false;
  const auto [reply, at] = EndOf(index, call);
  return at < before && reply.kind == ReplyKind::kReturned && !reply.succeeded();
}

// Whether another id may have it: the port occurs in another call.
bool OthersAsk(const HistoryIndex& index, const MadeCall& self, uint16_t port) {
  return std::ranges::any_of(index.calls(), [&](const MadeCall& call) {
    if (call.at >= self.at || !AsksForPort(call, port)) return false;
    if (call.kind() != CallKind::kCreateEp) return true;
    const Reply reply = EndOf(index, call).first;
    return reply.kind != ReplyKind::kReturned || reply.succeeded();
  });
}

void FailedLeavesNothing(const HistoryIndex& index, PropertyResult& result) {
  for (const MadeCall& call : index.calls()) {
    const auto* bind = std::get_if<call::BindAddr>(call.call);
    const auto* ep = std::get_if<call::CreateEp>(call.call);
    if (bind == nullptr && (ep == nullptr || !ep->passive)) continue;
    const Address& wanted = bind != nullptr ? bind->address : ep->source;
    if (wanted.port == 0 || wanted.kind != AddressKind::kSide) continue;
    const bool asked = std::ranges::any_of(
        index.calls(), [&](const MadeCall& other) { return Asked(index, other, wanted, call.at); });
    if (!asked || OthersAsk(index, call, wanted.port)) continue;
    result.Arose();
    if (call.Refused(Errno::kAddrInUse))
      result.Violated(call.at, Made(index, call), "an answer about a port that is free");
  }
}

void InfoIsWhatWasAsked(const HistoryIndex& index, PropertyResult& result) {
  for (const MadeCall& call : index.calls()) {
    const auto* get = std::get_if<call::GetAddrInfo>(call.call);
    if (get == nullptr || !call.reply.succeeded()) continue;
    CheckAddrInfo(index, call,
                  {.id = {}, .node = get->node, .service = get->service, .hints = get->hints},
                  result);
  }
}

// Bits of the devices of the fault's host.
DeviceBits DevicesBeside(const HistoryIndex& index, const Fault& fault) {
  const Topology& topology = index.topology();
  DeviceBits devices = 0;
  for (uint8_t device = 0; device < topology.devices.size(); ++device)
    if (topology.devices[device].kernel == topology.KernelOf(fault.side))
      devices |= BitOfDevice(device);
  return devices;
}

// Bits of the devices that were removed long enough before the record, and not added again.
DeviceBits GoneBefore(const HistoryIndex& index, size_t record) {
  DeviceBits gone = 0;
  const Topology& topology = index.topology();
  for (const auto& [at, fault] : index.faults().all()) {
    if (at >= record) break;
    if (fault.kind == FaultKind::kRestart) gone &= ~DevicesBeside(index, fault);
    if (fault.OnPackets()) continue;
    const DeviceBits bit = BitOfDevice(topology.FirstPortOf(topology.sides[fault.side].device));
    if (fault.kind == FaultKind::kAddDevice) gone &= ~bit;
    if (fault.kind == FaultKind::kRemoveDevice && index.Settled(at, record)) gone |= bit;
  }
  return gone;
}

void DevicesAreThere(const HistoryIndex& index, PropertyResult& result) {
  for (const MadeCall& call : index.calls()) {
    if (call.kind() != CallKind::kGetDevices || !call.reply.succeeded()) continue;
    const auto& output = OutputOf(index, call);
    const auto* devices = output ? std::get_if<DevicesOutput>(&*output) : nullptr;
    const DeviceBits gone = GoneBefore(index, call.at);
    if (devices == nullptr || gone == 0) continue;
    result.Arose();
    if ((devices->known & gone) != 0)
      result.Violated(call.at, ToString(*output, index.topology()), "no device that was removed");
  }
}

constexpr auto kOfEndpoints = std::to_array<Property>({
    Always("EP-1", ActiveIsReady,
           "rdma_create_ep of an active endpoint leaves a path, and a queue pair if attributes are "
           "given.",
           "man rdma_create_ep(3)"),
    Always("EP-2", RequestsHaveQps,
           "rdma_get_request of a passive endpoint creates a queue pair exactly if rdma_create_ep "
           "was given attributes.",
           "man rdma_create_ep(3), rdma-core 44 cma.c rdma_get_request"),
    Always("EP-3", FailedLeavesNothing,
           "A failed rdma_create_ep leaves nothing behind: the port that it requested is free.",
           "rdma-core 44 cma.c rdma_create_ep"),
    Always("INFO-1", InfoIsWhatWasAsked,
           "rdma_getaddrinfo returns the numeric node with the service as port, as source where "
           "the hints are passive and else as destination.",
           "man rdma_getaddrinfo(3)"),
    Always("DEV-1", DevicesAreThere, "rdma_get_devices returns no device that was removed before.",
           "rdma-core 44 cma.c rdma_get_devices, sync_devices_list"),
});

}  // namespace

std::span<const Property> Endpoints() { return kOfEndpoints; }

}  // namespace cm::families
