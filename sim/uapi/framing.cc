#include "sim/uapi/framing.h"

#include <sched.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <type_traits>
#include <utility>

namespace cm::sim::uapi {
namespace {

constexpr uint32_t kLongest = 16U << 20;  // longer than any option
constexpr size_t kAtOnce = 1U << 12;
// The place of a message in the socket.
constexpr std::array<uint8_t, sizeof(uint32_t)> kInSocket{};
constexpr size_t kShort = 64;  // the size of a request or an answer without bytes

// The bytes of a message: its fixed part, and those that end it.
class Writer {
 public:
  template <typename T>
  void Put(const T& value) {
    static_assert(std::is_trivially_copyable_v<T> && sizeof value <= kShort);
    std::memcpy(fixed_.data() + size_, &value, sizeof value);
    size_ += sizeof value;
  }
  void PutRest(std::span<const uint8_t> rest) { rest_ = rest; }
  // Those that come before the last ones.
  void PutMore(std::span<const uint8_t> more) { more_ = more; }

  // The length of the message, and the message.
  void WriteTo(std::vector<uint8_t>* bytes) const {
    const auto length = static_cast<uint32_t>(size_ + more_.size() + rest_.size());
    bytes->resize(sizeof length + length);
    uint8_t* at = bytes->data();
    const auto copy = [&at](const void* from, size_t size) {
      if (size != 0) std::memcpy(at, from, size);
      at += size;
    };
    copy(&length, sizeof length);
    copy(fixed_.data(), size_);
    copy(more_.data(), more_.size());
    copy(rest_.data(), rest_.size());
  }

 private:
  size_t size_ = 0;
  std::array<uint8_t, kShort> fixed_;  // only what is written
  std::span<const uint8_t> more_;
  std::span<const uint8_t> rest_;
};

void PutBody(const Hello& hello, Writer* writer) { writer->Put(hello); }
void PutBody(const Interrupt& /*interrupt*/, Writer* /*writer*/) {}
void PutBody(const Unwatch& unwatch, Writer* writer) { writer->Put(unwatch.name); }

void PutBody(const Request& request, Writer* writer) {
  writer->Put(request.op);
  writer->Put(request.on);
  writer->Put(request.more);
  writer->PutRest(request.bytes);
}

void PutBody(const Answer& answer, Writer* writer) {
  writer->Put(answer.value);
  writer->PutRest(answer.bytes);
}

void PutBody(const Watch& watch, Writer* writer) {
  writer->Put(watch.name);
  writer->Put(uint8_t{watch.has_descriptor});
  PutBody(watch.readable, writer);
}

void PutBody(const Foretold& foretold, Writer* writer) { PutBody(foretold.request, writer); }

void PutBody(const Foreseen& foreseen, Writer* writer) {
  writer->Put(foreseen.happened);
  writer->Put(foreseen.request.op);
  writer->Put(foreseen.request.on);
  writer->Put(foreseen.request.more);
  writer->Put(static_cast<uint32_t>(foreseen.request.bytes.size()));
  writer->Put(foreseen.answer.value);
  writer->PutMore(foreseen.request.bytes);
  writer->PutRest(foreseen.answer.bytes);
}

// The number of a kind of message.
template <typename Body, size_t kIndex = 0>
constexpr uint32_t NumberOf() {
  if constexpr (std::is_same_v<std::variant_alternative_t<kIndex, Message>, Body>)
    return kIndex;
  else
    return NumberOf<Body, kIndex + 1>();
}

template <typename Body>
void WriteKind(const Body& body, std::vector<uint8_t>* bytes) {
  Writer writer;
  writer.Put(NumberOf<Body>());
  PutBody(body, &writer);
  writer.WriteTo(bytes);
}

// Takes values from the front until the bytes are exhausted.
class Reader {
 public:
  explicit Reader(std::span<const uint8_t> bytes) : bytes_(bytes) {}

  template <typename T>
  bool Get(T* value) {
    static_assert(std::is_trivially_copyable_v<T>);
    if (bytes_.size() < sizeof *value) return false;
    std::memcpy(value, bytes_.data(), sizeof *value);
    bytes_ = bytes_.subspan(sizeof *value);
    return true;
  }
  bool GetSome(size_t size, std::vector<uint8_t>* some) {
    if (size > bytes_.size()) return false;
    some->assign(bytes_.begin(), bytes_.begin() + static_cast<ptrdiff_t>(size));
    bytes_ = bytes_.subspan(size);
    return true;
  }
  bool GetRest(std::vector<uint8_t>* rest) { return GetSome(bytes_.size(), rest); }
  bool IsAtEnd() const { return bytes_.empty(); }

 private:
  std::span<const uint8_t> bytes_;
};

bool GetBody(Reader* reader, Hello* hello) { return reader->Get(hello); }
bool GetBody(Reader* /*reader*/, Interrupt* /*interrupt*/) { return true; }
bool GetBody(Reader* reader, Unwatch* unwatch) { return reader->Get(&unwatch->name); }

bool GetBody(Reader* reader, Request* request) {
  return reader->Get(&request->op) && reader->Get(&request->on) && reader->Get(&request->more) &&
         reader->GetRest(&request->bytes);
}

bool GetBody(Reader* reader, Answer* answer) {
  return reader->Get(&answer->value) && reader->GetRest(&answer->bytes);
}

bool GetBody(Reader* reader, Foretold* foretold) { return GetBody(reader, &foretold->request); }

bool GetBody(Reader* reader, Foreseen* foreseen) {
  Request& request = foreseen->request;
  uint32_t size = 0;
  return reader->Get(&foreseen->happened) && reader->Get(&request.op) && reader->Get(&request.on) &&
         reader->Get(&request.more) && reader->Get(&size) && reader->Get(&foreseen->answer.value) &&
         reader->GetSome(size, &request.bytes) && reader->GetRest(&foreseen->answer.bytes);
}

bool GetBody(Reader* reader, Watch* watch) {
  uint8_t has_descriptor = 0;
  if (!reader->Get(&watch->name) || !reader->Get(&has_descriptor)) return false;
  watch->has_descriptor = has_descriptor != 0;
  return GetBody(reader, &watch->readable);
}

template <size_t kIndex = 0>
std::optional<Message> DecodeKind(uint32_t kind, Reader* reader) {
  if constexpr (kIndex < std::variant_size_v<Message>) {
    if (kind != kIndex) return DecodeKind<kIndex + 1>(kind, reader);
    std::optional<Message> message(std::in_place, std::in_place_index<kIndex>);
    if (!GetBody(reader, &std::get<kIndex>(*message)) || !reader->IsAtEnd()) message.reset();
    return message;
  }
  return std::nullopt;
}

// Buffer for the control message of one descriptor, with its alignment.
union Control {
  cmsghdr header;
  std::array<char, CMSG_SPACE(sizeof(int))> bytes;
};

void Attach(int descriptor, Control* control, msghdr* message) {
  message->msg_control = control->bytes.data();
  message->msg_controllen = control->bytes.size();
  cmsghdr* header = CMSG_FIRSTHDR(message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof descriptor);
  std::memcpy(CMSG_DATA(header), &descriptor, sizeof descriptor);
}

void Write(const Message& message, std::vector<uint8_t>* bytes) {
  std::visit([bytes](const auto& body) { WriteKind(body, bytes); }, message);
}

// The other end is gone, killed perhaps, which memory does not show.
bool HasEnded(int socket) {
  uint8_t byte = 0;
  return syscall(SYS_recvfrom, socket, &byte, sizeof byte, MSG_PEEK | MSG_DONTWAIT, nullptr,
                 nullptr) == 0;
}

}  // namespace

std::vector<uint8_t> Encode(const Message& message) {
  std::vector<uint8_t> bytes;
  Write(message, &bytes);
  return bytes;
}

std::optional<Message> Decode(std::span<const uint8_t> bytes) {
  Reader reader(bytes);
  uint32_t kind = 0;
  if (!reader.Get(&kind)) return std::nullopt;
  return DecodeKind(kind, &reader);
}

Connection::Connection(int socket) : socket_(socket) {
  written_.reserve(kShort);
  read_.reserve(2 * kAtOnce);
  taken_.reserve(kAtOnce);
}

Connection::~Connection() {
  for (const int descriptor : descriptors_) close(descriptor);
  if (socket_ >= 0) close(socket_);
}

void Connection::ShareAsProgram(SharedLine* line) {
  incoming_ = &line->to_program;
  outgoing_ = &line->to_machine;
  waits_in_memory_ = true;
}

void Connection::ShareAsMachine(SharedLine* line) {
  incoming_ = &line->to_machine;
  outgoing_ = &line->to_program;
}

int Connection::Send(const Message& message, int descriptor) {
  cm::sim::uapi::Write(message, &written_);
  return SendWritten(descriptor);
}

int Connection::Send(const Request& request) {
  WriteKind(request, &written_);
  return SendWritten(-1);
}

int Connection::Send(const Answer& answer) {
  WriteKind(answer, &written_);
  return SendWritten(-1);
}

int Connection::Send(const Foreseen& foreseen) {
  WriteKind(foreseen, &written_);
  return SendWritten(-1, false);
}

int Connection::SendWritten(int descriptor, bool wakes) {
  if (outgoing_ == nullptr) return Write(written_, descriptor);
  if (!waits_in_memory_) outgoing_->SetLate(false);
  if (descriptor >= 0 || !outgoing_->Put(written_)) {
    if (const int error = Write(written_, descriptor); error != 0) return error;
    // The reader makes room.
    outgoing_->Wake();
    while (!outgoing_->Put(kInSocket)) {
      if (outgoing_->IsDamaged() || HasEnded(socket_)) return ECONNRESET;
      sched_yield();
    }
  }
  if (wakes) outgoing_->Wake();
  return 0;
}

void Connection::IsLate() {
  if (outgoing_ != nullptr) outgoing_->SetLate(true);
}

int Connection::Write(std::span<const uint8_t> bytes, int descriptor) const {
  for (size_t sent = 0; sent < bytes.size();) {
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast): as C requires
    iovec piece = {.iov_base = const_cast<uint8_t*>(bytes.data()) + sent,
                   .iov_len = bytes.size() - sent};
    msghdr header{};
    header.msg_iov = &piece;
    header.msg_iovlen = 1;
    Control control{};
    if (descriptor >= 0 && sent == 0) Attach(descriptor, &control, &header);
    const ssize_t more = sendmsg(socket_, &header, MSG_NOSIGNAL);
    if (more >= 0) {
      sent += static_cast<size_t>(more);
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

int Connection::Read() {
  if (!waits_in_memory_) return ReadSocket(is_shared() ? MSG_DONTWAIT : 0);
  int error = incoming_->Wait();
  while (error == ETIMEDOUT) error = HasEnded(socket_) ? ECONNRESET : incoming_->Wait();
  return error;
}

int Connection::ReadSocket(int flags) {
  std::array<uint8_t, kAtOnce> bytes;
  iovec piece = {.iov_base = bytes.data(), .iov_len = bytes.size()};
  Control control{};
  msghdr header{};
  header.msg_iov = &piece;
  header.msg_iovlen = 1;
  header.msg_control = control.bytes.data();
  header.msg_controllen = control.bytes.size();
  const ssize_t count = recvmsg(socket_, &header, MSG_CMSG_CLOEXEC | flags);
  if (count < 0) return errno;
  read_.insert(read_.end(), bytes.begin(), bytes.begin() + count);
  for (cmsghdr* one = CMSG_FIRSTHDR(&header); one != nullptr; one = CMSG_NXTHDR(&header, one)) {
    if (one->cmsg_level != SOL_SOCKET || one->cmsg_type != SCM_RIGHTS) continue;
    int descriptor = -1;
    std::memcpy(&descriptor, CMSG_DATA(one), sizeof descriptor);
    descriptors_.push_back(descriptor);
  }
  return count == 0 ? ECONNRESET : 0;
}

std::optional<Message> Connection::Next() {
  if (HasInMemory()) return FromMemory();
  // Where the machine has read it before its place in memory was written.
  if (is_shared() && !waits_in_memory_ && HasMessage()) ++ahead_;
  return FromSocket();
}

std::optional<Message> Connection::FromMemory() {
  uint32_t length = 0;
  damaged_ |= incoming_->IsDamaged();
  if (damaged_ || incoming_->size() < sizeof length) return std::nullopt;
  std::array<uint8_t, sizeof length> bytes{};
  incoming_->Take(bytes);
  std::memcpy(&length, bytes.data(), sizeof length);
  if (length == 0 && ahead_ > 0) {
    --ahead_;
    return Next();
  }
  if (length == 0) {
    int error = 0;
    while (!HasMessage() && !damaged_ && (error == 0 || error == EINTR)) error = ReadSocket(0);
    return FromSocket();
  }
  damaged_ = length > incoming_->size();
  if (damaged_) return std::nullopt;
  taken_.resize(length);
  incoming_->Take(taken_);
  std::optional<Message> message = Decode(taken_);
  damaged_ = !message;
  return message;
}

bool Connection::HasMessage() const {
  uint32_t length = 0;
  if (read_.size() < sizeof length) return false;
  std::memcpy(&length, read_.data(), sizeof length);
  return length > kLongest || read_.size() - sizeof length >= length;
}

std::optional<Message> Connection::FromSocket() {
  if (damaged_ || !HasMessage()) return std::nullopt;
  uint32_t length = 0;
  std::memcpy(&length, read_.data(), sizeof length);
  damaged_ = length > kLongest;
  if (damaged_) return std::nullopt;
  std::optional<Message> message = Decode(std::span(read_).subspan(sizeof length, length));
  read_.erase(read_.begin(), read_.begin() + static_cast<int64_t>(sizeof length + length));
  damaged_ = !message;
  return message;
}

int Connection::TakeDescriptor() {
  if (descriptors_.empty()) return -1;
  const int descriptor = descriptors_.front();
  descriptors_.pop_front();
  return descriptor;
}

}  // namespace cm::sim::uapi
