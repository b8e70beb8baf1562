#include "conformance/adapters/sim/sim_adapter.h"

#include <utility>

#include "conformance/adapters/sim/session.h"

namespace cm {
namespace {

class SimImplementation : public Implementation {
 public:
  explicit SimImplementation(SimOptions options) : options_(std::move(options)) {}

  std::string name() const override { return "sim"; }
  const Profile& profile() const override { return options_.profile; }
  Capabilities capabilities() const override { return options_.capabilities; }
  bool concurrent() const override { return true; }
  std::unique_ptr<Session> Start(const Conversation& conversation) override {
    return sim::StartSession(conversation, {.profile = &options_.profile,
                                            .watch_wire = options_.watch_wire,
                                            .on_wire = options_.on_wire,
                                            .acks_take_no_time = options_.acks_take_no_time});
  }

 private:
  SimOptions options_;
};

}  // namespace

std::unique_ptr<Implementation> MakeSimImplementation(SimOptions options) {
  return std::make_unique<SimImplementation>(std::move(options));
}

}  // namespace cm
