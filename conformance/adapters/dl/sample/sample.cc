#include "conformance/adapters/dl/sample/sample.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "conformance/adapters/dl/sockaddr.h"
#include "sim/core/defects.h"

namespace cm::sample {
namespace {

std::unique_ptr<Sample>& Slot() {
  static auto* const slot = new std::unique_ptr<Sample>;
  return *slot;
}

// As a call of the C API returns it; where the real library would die, this one does.
int ToC(const Reply& reply) {
  if (reply.kind == ReplyKind::kCrashed) std::raise(SIGSEGV);
  if (reply.value < 0) errno = static_cast<int>(reply.error);
  return reply.value;
}

void Copy(const Address& address, const Topology& topology, sockaddr_storage* to) {
  SockAddr c(address, topology);
  *to = {};
  if (c.get() != nullptr) std::memcpy(to, c.get(), sizeof(*to));
}

}  // namespace

Sample::Sample(const Topology* topology, const Profile* profile, uint64_t seed, sim::Defect defect)
    : topology_(topology),
      world_(topology, profile, seed, defect),
      before_(world_.InUse()),
      devices_(topology->devices.size()),
      contexts_(topology->devices.size()) {
  for (size_t i = 0; i < devices_.size(); ++i) {
    topology->devices[i].name.copy(devices_[i].name, sizeof(devices_[i].name) - 1);
    contexts_[i].device = &devices_[i];
  }
}

int Sample::Begin(const sim::Progress& progress, const Unfinished& unfinished) {
  if (progress.reply.kind != ReplyKind::kBlocked) return Finish(progress, unfinished);
  world_.Block(lane_, progress.ongoing);
  unfinished_[lane_] = unfinished;
  return 0;
}

int Sample::Finish(const sim::Progress& progress, const Unfinished& unfinished) {
  if (progress.reply.succeeded()) {
    if (unfinished.fetches != nullptr) *unfinished.fetches = NewEvent(progress.made);
    if (unfinished.closes != nullptr) {
      close(unfinished.closes->c.fd);
      delete unfinished.closes;
    }
  }
  return ToC(progress.reply);
}

rdma_event_channel* Sample::CreateChannel() {
  auto* const channel = new Channel;
  // Whether it is to block is asked of the descriptor, as it may be told at any time.
  const sim::Progress progress = library().CreateEventChannel(world_.Context(), false);
  channel->number = progress.made;
  channel->c.fd = eventfd(0, EFD_CLOEXEC);
  return &channel->c;
}

void Sample::DestroyChannel(Channel* channel) {
  Begin(library().DestroyEventChannel(world_.Context(), channel->number), {.closes = channel});
}

Id* Sample::NewId(uint32_t number, rdma_event_channel* channel, rdma_port_space space) {
  std::unique_ptr<Id>& id = ids_[{lane_.side, number}];
  id = std::make_unique<Id>();
  id->side = lane_.side;
  id->number = number;
  id->c.channel = channel;
  id->c.ps = space;
  id->qp.qp_context = id.get();
  id->c.qp_type = space == RDMA_PS_TCP || space == RDMA_PS_IB ? IBV_QPT_RC : IBV_QPT_UD;
  Refresh(id.get());
  return id.get();
}

Id* Sample::IdAt(uint32_t number) {
  const auto at = ids_.find({lane_.side, number});
  return at == ids_.end() ? nullptr : at->second.get();
}

int Sample::CreateId(Channel* channel, rdma_cm_id** id, rdma_port_space space) {
  const sim::Progress progress =
      library().CreateId(world_.Context(), channel->number, static_cast<PortSpace>(space));
  if (progress.reply.succeeded()) *id = &NewId(progress.made, &channel->c, space)->c;
  return ToC(progress.reply);
}

int Sample::DestroyId(Id* id) {
  return Begin(library().DestroyId(world_.Context(), id->number), {});
}

int Sample::Answer(Id* id, const Reply& reply) {
  const int value = ToC(reply);
  const int error = errno;
  Refresh(id);
  errno = error;
  return value;
}

Shown Sample::Show(const Id& id) {
  return world_.library(id.side).Show(world_.Context(), id.number);
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
}

int Sample::GetEvent(Channel* channel, rdma_cm_event** event) {
  const bool nonblocking = (fcntl(channel->c.fd, F_GETFL) & O_NONBLOCK) != 0;
  const sim::Progress progress = library().GetCmEvent(world_.Context(), channel->number);
  if (progress.reply.kind == ReplyKind::kBlocked && nonblocking)
    return ToC(Reply::Refused(Errno::kAgain));
  return Begin(progress, {.fetches = event});
}

rdma_cm_event* Sample::NewEvent(uint32_t number) {
  const sim::FetchedEvent& fetched = world_.library(lane_.side).fetched(number);
  auto* const event = new Event;
  event->number = number;
  event->private_data = fetched.event.private_data;
  rdma_cm_event& c = event->c;
  c.event = static_cast<rdma_cm_event_type>(fetched.event.type);
  c.status = fetched.event.status;
  if (fetched.listen_id != sim::kNobody) {
    Id* const listener = IdAt(fetched.listen_id);
    c.listen_id = &listener->c;
    NewId(fetched.id, listener->c.channel, listener->c.ps);
  }
  if (Id* const id = IdAt(fetched.id)) {
    if (world_.library(lane_.side).LiveId(fetched.id)) Refresh(id);
    c.id = &id->c;
  }
  rdma_conn_param& conn = c.param.conn;
  conn.private_data = event->private_data.empty() ? nullptr : event->private_data.bytes().data();
  conn.private_data_len = event->private_data.size();
  conn.responder_resources = fetched.event.conn.responder_resources;
  conn.initiator_depth = fetched.event.conn.initiator_depth;
  conn.flow_control = fetched.event.conn.flow_control;
  conn.retry_count = fetched.event.conn.retry_count;
  conn.rnr_retry_count = fetched.event.conn.rnr_retry_count;
  conn.srq = fetched.event.conn.srq;
  conn.qp_num = fetched.event.qp_num;
  return &c;
}

int Sample::Ack(Event* event) {
  const Reply reply = library().AckCmEvent(event->number);
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
  const sim::Progress progress = world_.Continue(lane_);
  if (progress.reply.kind == ReplyKind::kBlocked) return false;
  const Unfinished unfinished = unfinished_.at(lane_);
  unfinished_.erase(lane_);
  *value = Finish(progress, unfinished);
  return true;
}

bool Sample::Readable(Channel* channel) {
  return library().Readable(world_.Context(), channel->number);
}

void Sample::Inject(const Fault& fault) {
  world_.Inject(fault);
  if (fault.kind == FaultKind::kExit)
    std::erase_if(unfinished_, [&](const auto& u) { return u.first.side == fault.side; });
}

std::string Sample::Leaks() const {
  const sim::Usage after = world_.InUse();
  if (after == before_) return {};
  return fmt::format(
      "in use at the end: {} kernel ids, {} IB CM ids, {} queue pairs, {} ids of the library, {} "
      "unacknowledged events",
      after.kernel_ids, after.ib_ids, after.queue_pairs, after.library_ids, after.unacknowledged);
}

bool StartSample(const std::string& topology, const std::string& profile, uint64_t seed) {
  const Topology* const where = FindTopology(topology);
  const Profile* const how = FindProfile(profile);
  if (where == nullptr || how == nullptr) return false;
  const char* const named = std::getenv("CMCHECK_SAMPLE_DEFECT");
  sim::Defect defect = sim::Defect::kNone;
  if (named != nullptr && *named != '\0') {
    const std::optional<sim::Defect> known = sim::ParseDefect(named);
    if (!known) return false;
    defect = *known;
  }
  Slot() = std::make_unique<Sample>(where, how, seed, defect);
  return true;
}

Sample& TheSample() {
  if (!Slot()) {
    const Topology& topology = Topologies().front();
    Slot() = std::make_unique<Sample>(&topology, &Profiles().front(), 0, sim::Defect::kNone);
  }
  return *Slot();
}

}  // namespace cm::sample
