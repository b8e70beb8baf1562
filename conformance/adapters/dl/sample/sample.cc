#include "conformance/adapters/dl/sample/sample.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "conformance/adapters/dl/c_enum.h"
#include "conformance/defects/defects.h"
#include "conformance/defects/switch.h"
#include "model/vocabulary/sockaddr.h"

namespace cm::sample {
namespace {

std::unique_ptr<Sample>& Slot() {
  static auto* const slot = new std::unique_ptr<Sample>;
  return *slot;
}

// Returns like a call of the C API; crashes where the real library would.
int ToC(const Reply& reply) {
  if (reply.kind == ReplyKind::kCrashed) std::raise(SIGSEGV);
  if (reply.value < 0) errno = static_cast<int>(reply.error);
  return reply.value;
}

uint32_t NumberIn(const Channel* channel) {
  return channel == nullptr ? woven::kNobody : channel->number;
}

void Copy(const Address& address, const Topology& topology, sockaddr_storage* to) {
  SockAddr c(address, topology);
  *to = {};
  if (c.get() != nullptr) std::memcpy(to, c.get(), sizeof(*to));
}

}  // namespace

Sample::Sample(const Topology* topology, const Profile* profile, uint64_t seed, size_t defect)
    : defect_(defect),
      topology_(topology),
      world_(topology, profile, NamedStream(seed, "world")),
      before_(world_.InUse()),
      devices_(topology->devices.size()),
      contexts_(topology->devices.size()) {
  for (size_t i = 0; i < devices_.size(); ++i) {
    topology->devices[i].name.copy(devices_[i].name, sizeof(devices_[i].name) - 1);
    contexts_[i].device = &devices_[i];
  }
}

int Sample::Begin(const woven::Progress& progress, const Unfinished& unfinished) {
  if (progress.reply.kind != ReplyKind::kBlocked) return Finish(progress, unfinished);
  world_.Block(lane_, progress.ongoing);
  unfinished_[lane_] = unfinished;
  return 0;
}

int Sample::Finish(const woven::Progress& progress, const Unfinished& unfinished) {
  if (progress.reply.succeeded()) {
    if (unfinished.fetches != nullptr) *unfinished.fetches = &Make(progress.made).release()->c;
    if (unfinished.requests != nullptr) {
      const woven::FetchedEvent& event = library().events[library().ids[progress.made].event];
      Id* const listener = IdAt(event.listen_id);
      *unfinished.requests = &NewId(progress.made, nullptr, listener->space)->c;
    }
    if (unfinished.makes != nullptr)
      *unfinished.makes = &NewId(progress.made, nullptr, unfinished.space)->c;
    if (unfinished.closes != nullptr) {
      close(unfinished.closes->c.fd);
      delete unfinished.closes;
    }
  }
  const int value = ToC(progress.reply);
  const int error = errno;
  if (unfinished.completes != nullptr) Refresh(unfinished.completes);
  errno = error;
  return value;
}

rdma_event_channel* Sample::CreateChannel() {
  auto* const channel = new Channel;
  // Whether it is to block is asked of the descriptor, as it may be told at any time.
  const woven::Progress progress = Do(call::CreateEventChannel{});
  channel->number = progress.made;
  channel->c.fd = eventfd(0, EFD_CLOEXEC);
  return &channel->c;
}

void Sample::DestroyChannel(Channel* channel) {
  Begin(Do(call::DestroyEventChannel{}, {.channel = channel->number}), {.closes = channel});
}

Id* Sample::NewId(uint32_t number, rdma_event_channel* channel, PortSpace space) {
  std::unique_ptr<Id>& id = ids_[{lane_.side, number}];
  id = std::make_unique<Id>();
  id->side = lane_.side;
  id->number = number;
  id->c.channel = channel;
  id->space = space;
  Store(&id->c.ps, static_cast<uint32_t>(space));
  id->qp.qp_context = id.get();
  id->c.qp_type = IsDatagram(space) ? IBV_QPT_UD : IBV_QPT_RC;
  Refresh(id.get());
  return id.get();
}

Id* Sample::IdAt(uint32_t number) {
  const auto at = ids_.find({lane_.side, number});
  return at == ids_.end() ? nullptr : at->second.get();
}

int Sample::CreateId(Channel* channel, rdma_cm_id** id, PortSpace space) {
  const woven::Progress progress =
      Do(call::CreateId{.space = space}, {.channel = NumberIn(channel)});
  if (progress.reply.succeeded())
    *id = &NewId(progress.made, channel == nullptr ? nullptr : &channel->c, space)->c;
  return ToC(progress.reply);
}

int Sample::DestroyId(Id* id) { return Begin(Do(call::DestroyId{}, {.id = id->number}), {}); }

int Sample::Answer(Id* id, const Reply& reply) {
  const int value = ToC(reply);
  const int error = errno;
  Refresh(id);
  errno = error;
  return value;
}

int Sample::GetRequest(Id* listener, rdma_cm_id** id) {
  return Begin(Do(call::GetRequest{}, {.id = listener->number}),
               {.requests = id, .completes = listener});
}

// The id has moved unless the call was refused, even if the call still waits.
int Sample::MigrateId(Id* id, Channel* channel) {
  const woven::Progress progress =
      Do(call::MigrateId{}, {.id = id->number, .channel = NumberIn(channel)});
  const bool moved = progress.reply.kind == ReplyKind::kBlocked || progress.reply.succeeded();
  if (moved) id->c.channel = channel == nullptr ? nullptr : &channel->c;
  return Begin(progress, {.completes = id});
}

int Sample::CreateEp(const call::CreateEp& ep, rdma_cm_id** id) {
  return Begin(Do(ep), {.makes = id, .space = ep.space});
}

int Sample::DestroyEp(Id* id) { return Begin(Do(call::DestroyEp{}, {.id = id->number}), {}); }

ibv_context** Sample::NewList(uint32_t devices, int* count) {
  auto** const list = new ibv_context*[contexts_.size() + 1];
  *count = 0;
  for (size_t i = 0; i < contexts_.size(); ++i)
    if ((devices >> i & 1) != 0) list[(*count)++] = &contexts_[i];
  list[*count] = nullptr;
  return list;
}

Shown Sample::Show(const Id& id) {
  return woven::Show(world_.Context(), world_.library(id.side), id.number);
}

void Sample::Refresh(Id* id) {
  const Shown shown = Show(*id);
  id->c.verbs = shown.device_known ? &contexts_[shown.device] : nullptr;
  id->c.port_num = shown.port_num;
  Copy(shown.source, *topology_, &id->c.route.addr.src_storage);
  Copy(shown.destination, *topology_, &id->c.route.addr.dst_storage);
  id->c.route.num_paths = shown.num_paths;
  id->c.qp = shown.qp ? &id->qp : nullptr;
  id->qp.context = id->c.verbs;
  const woven::Library& library = world_.library(id->side);
  const uint32_t number = library.ids[id->number].event;
  const bool retains = number != woven::kNobody;
  // The place of an event is used again: that it is the same says nothing.
  if (retains && id->event && library.events[number] == id->kept) return;
  id->event = retains ? Make(number) : nullptr;
  if (retains) id->kept = library.events[number];
  id->c.event = retains ? &id->event->c : nullptr;
}

int Sample::GetEvent(Channel* channel, rdma_cm_event** event) {
  const bool nonblocking = (fcntl(channel->c.fd, F_GETFL) & O_NONBLOCK) != 0;
  const woven::Progress progress = Do(call::GetCmEvent{}, {.channel = channel->number});
  if (progress.reply.kind == ReplyKind::kBlocked && nonblocking)
    return ToC(Reply::Refused(Errno::kAgain));
  return Begin(progress, {.fetches = event});
}

std::unique_ptr<Event> Sample::Make(uint32_t number) {
  const woven::FetchedEvent& fetched = world_.library(lane_.side).events[number];
  auto event = std::make_unique<Event>();
  event->number = number;
  event->private_data = fetched.event.private_data;
  rdma_cm_event& c = event->c;
  Store(&c.event, static_cast<uint32_t>(fetched.event.type));
  c.status = fetched.event.status;
  if (fetched.listen_id != woven::kNobody) {
    Id* const listener = IdAt(fetched.listen_id);
    c.listen_id = &listener->c;
    // The id of a synchronous listener's request was created when rdma_get_request returned.
    if (!world_.library(lane_.side).ids[fetched.id].synchronous)
      NewId(fetched.id, listener->c.channel, listener->space);
  }
  if (Id* const id = IdAt(fetched.id)) {
    const woven::Library& library = world_.library(lane_.side);
    if (library.ids.Live(fetched.id) && !library.ids[fetched.id].synchronous) Refresh(id);
    c.id = &id->c;
  }
  FillParam(fetched.event, event.get());
  return event;
}

uint16_t Sample::Keep(void* context) {
  const auto known = std::ranges::find(contexts_of_groups_, context);
  const auto number = static_cast<uint16_t>(known - contexts_of_groups_.begin());
  if (known == contexts_of_groups_.end()) contexts_of_groups_.push_back(context);
  return number;
}

// A group is given as a GID, in which IPv4 addresses are mapped.
void Sample::FillMembership(const CmEvent& fetched, rdma_ud_param* ud) const {
  ud->private_data = contexts_of_groups_[fetched.context];
  ud->private_data_len = 0;
  SockAddr address(fetched.group, *topology_);
  if (address.get() == nullptr) return;
  ud->ah_attr.is_global = 1;
  uint8_t* const gid = ud->ah_attr.grh.dgid.raw;
  if (fetched.group.v6) {
    std::memcpy(gid, &reinterpret_cast<sockaddr_in6*>(address.get())->sin6_addr, 16);
    return;
  }
  gid[10] = gid[11] = 0xff;
  std::memcpy(gid + 12, &reinterpret_cast<sockaddr_in*>(address.get())->sin_addr, 4);
}

void Sample::FillParam(const CmEvent& fetched, Event* event) const {
  rdma_cm_event& c = event->c;
  if (fetched.type == EventType::kUser)
    std::memcpy(&c.param, &fetched.argument, sizeof(fetched.argument));
  if (fetched.type >= EventType::kAddrInfoResolved) return;
  if (c.id != nullptr && ValueOf(c.id->qp_type) == IBV_QPT_UD) {
    rdma_ud_param& ud = c.param.ud;
    ud.private_data = event->private_data.empty() ? nullptr : event->private_data.bytes().data();
    ud.private_data_len = event->private_data.size();
    ud.qp_num = fetched.qp_num;
    ud.qkey = fetched.qkey;
    const bool of_group =
        fetched.type == EventType::kMulticastJoin || fetched.type == EventType::kMulticastError;
    if (of_group) FillMembership(fetched, &ud);
    return;
  }
  rdma_conn_param& conn = c.param.conn;
  conn.private_data = event->private_data.empty() ? nullptr : event->private_data.bytes().data();
  conn.private_data_len = event->private_data.size();
  conn.responder_resources = fetched.conn.responder_resources;
  conn.initiator_depth = fetched.conn.initiator_depth;
  conn.flow_control = fetched.conn.flow_control;
  conn.retry_count = fetched.conn.retry_count;
  conn.rnr_retry_count = fetched.conn.rnr_retry_count;
  conn.srq = fetched.conn.srq;
  conn.qp_num = fetched.qp_num;
}

int Sample::Ack(Event* event) {
  const Reply reply = Do(call::AckCmEvent{}, {.event = event->number}).reply;
  delete event;
  return ToC(reply);
}

Address Sample::AddressOf(const sockaddr* address) const {
  if (address != nullptr && address->sa_family == AF_UNSPEC)
    return {.kind = AddressKind::kBadFamily};
  return cm::AddressOf(address, *topology_);
}

bool Sample::Blocked() const { return unfinished_.contains(lane_); }

bool Sample::Continue(int* value) {
  const woven::Progress progress = world_.Continue(lane_);
  if (progress.reply.kind == ReplyKind::kBlocked) return false;
  const Unfinished unfinished = unfinished_.at(lane_);
  unfinished_.erase(lane_);
  *value = Finish(progress, unfinished);
  return true;
}

bool Sample::Readable(Channel* channel) {
  return woven::Readable(world_.Context(), library(), channel->number);
}

void Sample::Inject(const Fault& fault) {
  world_.Inject(fault);
  if (fault.kind == FaultKind::kExit)
    std::erase_if(unfinished_, [&](const auto& u) { return u.first.side == fault.side; });
}

std::string Sample::Leaks() const {
  const woven::Usage after = world_.InUse();
  if (after == before_) return {};
  return fmt::format(
      "in use at the end: {} kernel ids, {} IB CM ids, {} queue pairs, {} shared receive queues, "
      "{} memory regions, {} ids of the library, {} unacknowledged events, {} not given back",
      after.kernel_ids, after.ib_ids, after.queue_pairs, after.receive_queues, after.regions,
      after.library_ids, after.unacknowledged, after.handed_out);
}

bool StartSample(const std::string& topology, const std::string& profile, uint64_t seed) {
  const Topology* const where = FindTopology(topology);
  const Profile* const how = FindProfile(profile);
  if (where == nullptr || how == nullptr) return false;
  const char* const named = std::getenv("CMCHECK_SAMPLE_DEFECT");
  size_t defect = 0;
  if (named != nullptr && *named != '\0') {
    defect = NumberOf(named);
    if (defect == 0) return false;
  }
  Slot() = std::make_unique<Sample>(where, how, seed, defect);
  return true;
}

Sample& TheSample() {
  if (!Slot()) {
    const Topology& topology = Topologies().front();
    Slot() = std::make_unique<Sample>(&topology, &Profiles().front(), 0, 0);
  }
  defects::switched_on = Slot()->defect();
  return *Slot();
}

}  // namespace cm::sample
