#include "tools/app/pipes.h"

#include <memory>

#include "model/base/duration.h"
#include "sim/uapi/level.h"
#include "sim/uapi/request.h"

namespace cm::app {

using sim::uapi::Op;

void Pipes::Keep(Process* process, Thread* thread, const sim::uapi::Watch& watch) {
  const bool of_completions = watch.readable.op == Op::kPollEvents;
  Watched& watched =
      (of_completions ? process->completion_watches : process->watches).Get(watch.name);
  watched.readable = watch.readable;
  if (watch.has_descriptor) {
    watched.level = std::make_unique<sim::uapi::Level>(thread->connection.TakeDescriptor());
    watched.is_readable = false;
  }
  // The others are in their right state.
  if (of_completions) BringUp(process, &watched);
}

void Pipes::Forget(Process* process, uint64_t name) {
  process->watches.Erase(name);
  process->completion_watches.Erase(name);
}

bool Pipes::Changes(const Process& process, const Watched& watched) {
  const bool readable = kernels_->machine.IsReadable(process.Watcher(), watched.readable);
  return readable != watched.is_readable && watched.level != nullptr;
}

std::vector<Watched*> Pipes::Changing(Process* process) {
  std::vector<Watched*> found;
  for (auto& [number, watched] : process->watches)
    if (Changes(*process, watched)) found.push_back(&watched);
  if (process->completions_seen == kernels_->machine.completion_changes()) return found;
  const size_t before = found.size();
  for (auto& [number, watched] : process->completion_watches)
    if (Changes(*process, watched)) found.push_back(&watched);
  if (found.size() == before) process->completions_seen = kernels_->machine.completion_changes();
  return found;
}

void Pipes::BringAllUp(Process* process) {
  for (auto& [number, watched] : process->watches) BringUp(process, &watched);
  const uint64_t changes = kernels_->machine.completion_changes();
  if (process->completions_seen == changes) return;
  for (auto& [number, watched] : process->completion_watches) BringUp(process, &watched);
  process->completions_seen = changes;
}

bool Pipes::BringUp(Process* process, Watched* watched) {
  if (!Changes(*process, *watched)) return false;
  const bool readable = !watched->is_readable;
  watched->rank.reset();
  detector_->HasWoken();  // it may send a signal to one that asks, as O_ASYNC has it
  watched->level->Set(readable);
  watched->is_readable = readable;
  // It may send a signal, as that of alarm does.
  if (watched->readable.op == Op::kPollTime) detector_->MayHaveWoken();
  if (watched->readable.op == Op::kPollTime && watched->readable.on != 0 && readable) {
    // The timer expires, and is set for the next time.
    watched->level->Set(false);
    watched->is_readable = false;
    watched->readable.more +=
        static_cast<uint64_t>(Duration::Microseconds(watched->readable.on).nanoseconds());
  }
  return true;
}

}  // namespace cm::app
