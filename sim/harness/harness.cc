#include "sim/harness/harness.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "model/base/check.h"
#include "model/base/choice.h"
#include "model/vocabulary/profile.h"
#include "model/vocabulary/topology.h"
#include "sim/fabric/names.h"
#include "sim/fake_libibverbs/requests.h"
#include "sim/harness/last_words.h"

namespace cm::sim {
namespace {

const Topology* TopologyOf(const HarnessOptions& options) {
  const Topology* found = FindTopology(options.topology);
  CM_CHECK(found != nullptr) << "no topology is called " << options.topology;
  return found;
}

const Profile* ProfileOf(const HarnessOptions& options) {
  const Profile* found = FindProfile(options.profile);
  CM_CHECK(found != nullptr) << "no profile is called " << options.profile;
  return found;
}

}  // namespace

std::string Outcome::Text() const {
  std::string text;
  for (const std::string& line : conversation) text += line + "\n";
  text += "ended at " + ToString(ended) + "\n";
  for (const std::string& line : waiting) text += "never ends: " + line + "\n";
  for (const std::string& line : left) text += "not given back: " + line + "\n";
  for (const std::string& line : misuse) text += "misused: " + line + "\n";
  return text;
}

Harness::Harness(const HarnessOptions& options)
    : options_(options),
      world_(TopologyOf(options), ProfileOf(options), NamedStream(options.seed, "world")),
      machine_(&world_, this) {
  const Topology& topology = world_.topology();
  for (uint8_t kernel = 0; kernel < topology.hosts.size(); ++kernel) {
    uint8_t side = 0;
    while (side < topology.sides.size() && topology.KernelOf(side) != kernel) ++side;
    if (side == topology.sides.size()) continue;
    const size_t devices = DevicesOf(topology, kernel).size();
    for (uint32_t device = 0; device < devices; ++device) places_.push_back({kernel, device});
    observers_.push_back(machine_.AddProcess(side));
  }
  world_.WatchWire();
}

Harness::~Harness() = default;

void Harness::AddProgram(std::string_view side, std::string name, std::function<void()> program) {
  const auto number = world_.topology().SideNamed(side);
  CM_CHECK(number.has_value()) << "no side is called " << side;
  programs_.push_back({.name = std::move(name),
                       .side = *number,
                       .process = machine_.AddProcess(*number),
                       .fiber = std::make_unique<Fiber>(std::move(program))});
}

void Harness::At(Duration when, const Fault& fault) {
  happenings_.push_back({Instant() + when, fault});
}

// Initialization of librdmacm, once in a process, is not part of any conversation.
void Harness::Prepare() {
  static bool done = false;
  if (std::exchange(done, true)) return;
  Harness first{HarnessOptions{}};
  first.AddProgram(first.world_.topology().sides[0].name, "first", InitializeLibrary);
  static_cast<void>(first.RunPrepared());
}

Outcome Harness::Run() {
  Prepare();
  return RunPrepared();
}

Outcome Harness::RunPrepared() {
  static bool running = false;
  CM_CHECK(!std::exchange(running, true)) << "one harness runs at a time";
  std::ranges::stable_sort(happenings_, {}, &Happening::at);
  const LastWords last_words(options_.seed, &outcome_.conversation);
  SetObserver(this);
  fake_libibverbs::NextWorld();
  fake_libibverbs::SetBackend(this);
  RunAll();
  while (!AllEnded() && Step()) RunAll();
  for (const Program& program : programs_)
    if (program.fiber != nullptr) outcome_.waiting.push_back(WaitingOf(program));
  outcome_.ended = world_.Now();
  for (Program& program : programs_) Kill(&program);
  fake_libibverbs::SetBackend(nullptr);
  fake_libibverbs::NextWorld();
  SetObserver(nullptr);
  running = false;
  CloseDescriptors();
  return std::move(outcome_);
}

bool Harness::AllEnded() const {
  return std::ranges::none_of(programs_,
                              [](const Program& program) { return program.fiber != nullptr; });
}

// The progress of one program may end the wait of another.
void Harness::RunAll() {
  uint64_t before = 0;
  do {
    before = requests_;
    for (Program& program : programs_)
      if (program.fiber != nullptr) Resume(&program);
  } while (requests_ != before && !AllEnded());
}

void Harness::Resume(Program* program) {
  running_ = program;
  const bool ended = program->fiber->Resume();
  running_ = nullptr;
  SayWire();
  if (ended) End(program);
}

// False when nothing will happen any more, or not before the limit.
bool Harness::Step() {
  Instant outside = happenings_.empty() ? Instant::Never() : happenings_.front().at;
  for (const Program& program : programs_)
    if (program.fiber != nullptr) outside = std::min(outside, program.until);
  const Instant inside = world_.NextAt().value_or(Instant::Never());
  const Instant next = std::min(inside, outside);
  if (next == Instant::Never() || next > Instant() + options_.limit) return false;
  ++steps_;
  if (inside <= outside) {
    world_.Step();
    SayWire();
    return true;
  }
  world_.RunUntil(std::max(next, world_.Now()));
  while (!happenings_.empty() && happenings_.front().at <= world_.Now()) {
    const Fault fault = happenings_.front().fault;
    happenings_.erase(happenings_.begin());
    Inject(fault);
  }
  SayWire();
  return true;
}

// A host that has crashed sends nothing more.
void Harness::Inject(const Fault& fault) {
  const Topology& topology = world_.topology();
  Say("(fault)", world_.Now(), ToString(fault, topology));
  if (fault.kind != FaultKind::kExit) world_.Inject(fault);
  for (Program& program : programs_) {
    const bool exits = fault.kind == FaultKind::kExit && program.side == fault.side;
    const bool crashes = fault.kind == FaultKind::kCrash &&
                         topology.KernelOf(program.side) == topology.KernelOf(fault.side);
    if (exits || crashes) Kill(&program);
  }
}

void Harness::Kill(Program* program) {
  if (program->fiber == nullptr) return;
  machine_.RemoveProcess(program->process);
  program->fiber.reset();
}

void Harness::End(Program* program) {
  if (const std::string left = program->Holds(); !left.empty())
    outcome_.left.push_back(program->name + ": " + left);
  Say(program->name, world_.Now(), "ends");
  Kill(program);
}

void Harness::Say(std::string_view who, Instant at, std::string_view what) {
  outcome_.conversation.push_back(fmt::format("{:>12}  {:<8} {}", ToString(at), who, what));
}

void Harness::SayWire() {
  const auto name = [this](uint8_t device) { return world_.topology().devices[device].name; };
  world_.VisitWire([&](const WireNote& note) {
    std::string text(ToString(note.mad.kind));
    if (note.mad.kind == MadKind::kRej)
      text += fmt::format(" reason={}", static_cast<int>(note.mad.reason));
    text += fmt::format(" {} to {}", name(note.from), name(note.to));
    if (note.lost) text += ", lost";
    Say("(wire)", note.at, text);
  });
}

bool Harness::Read(uint32_t /*process*/, uint64_t address, std::span<uint8_t> bytes) {
  std::memcpy(bytes.data(), fake_libibverbs::At(address), bytes.size());
  return true;
}

bool Harness::Write(uint32_t /*process*/, uint64_t address, std::span<const uint8_t> bytes) {
  std::memcpy(fake_libibverbs::At(address), bytes.data(), bytes.size());
  return true;
}

}  // namespace cm::sim
