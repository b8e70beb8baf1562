#include "tools/app/launcher.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <string_view>

#include "model/vocabulary/topology.h"
#include "tools/app/host.h"

namespace cm::app {
namespace {

// By the user; /tmp is what Bazel and others set.
bool NamesAFolderForTemporaryFiles() {
  const char* const folder = std::getenv("TMPDIR");
  return folder != nullptr && std::string_view(folder) != "/tmp";
}

}  // namespace

std::string Launcher::LayOut(uint8_t kernel) {
  const std::string host = folder_->HostPath(kernel);
  if (LayOutHost(host, kernels_->world->topology(), kernel, kernels_->world->profile().transport))
    return {};
  return fmt::format("cannot write {}", host);
}

// For `ssh`, which runs commands on other hosts.
std::vector<std::pair<std::string, std::string>> Launcher::NetworkPlaces() const {
  std::vector<std::pair<std::string, std::string>> places;
  for (uint8_t kernel = 0;
       kernel < kernels_->world->topology().hosts.size() && network_->is_apart(); ++kernel)
    places.emplace_back(network_->PathOf(kernel), folder_->HostPath(kernel) + "/" + kNetworkFile);
  return places;
}

std::variant<Launcher::Place, std::string> Launcher::Prepare(uint8_t side) {
  const uint32_t number = kernels_->machine.AddProcess(side);
  const int listening = folder_->Listen(number);
  if (listening < 0) return fmt::format("no socket {}", folder_->SocketPath(number));
  const Topology& topology = kernels_->world->topology();
  const std::string host = folder_->HostPath(topology.KernelOf(side));
  const char* const path = std::getenv("PATH");
  const DeviceInfo& device = topology.devices[topology.sides[side].device];
  std::vector<std::string> environment = {
      fmt::format("CMSIM_ADDRESS={}", device.Host(0, false)),
      fmt::format("CMSIM_ADDRESS6={}", device.Host(0, true)),
      fmt::format("CMSIM_SEED={}", seed_),
      "LD_PRELOAD=" + folder_->ObjectPath(),
      "CMSIM_SOCKET=" + folder_->SocketPath(number),
      "CMSIM_HOST=" + host,
      fmt::format("PATH={}/bin:{}", host, path == nullptr ? "" : path)};
  std::vector<std::pair<std::string, std::string>> places;
  // Files are named by process ids, which other runs have as well.
  if (ids_->are_of_hosts()) places = folder_->PlacesOf(topology.KernelOf(side));
  const bool has_memory = !places.empty();
  if (processor_->is_bound()) environment.push_back(processor_->Variable());
  if (kernels_->shared_time->costs().instructions != 0) environment.emplace_back("CMSIM_COUNTS=1");
  if (has_memory && !NamesAFolderForTemporaryFiles())
    environment.emplace_back("TMPDIR=/dev/shm/tmp");
  // First: the folder itself may get another place.
  if (ids_->are_of_hosts()) {
    for (const auto& first : {NetworkPlaces(), NamesOfHost(host)})
      places.insert(places.begin(), first.begin(), first.end());
  }
  if (MakeReachable(host, environment)) return Place{number, listening, environment, places};
  close(listening);
  return fmt::format("cannot write {}", host);
}

std::string Launcher::Start(const ProgramToRun& program, const std::string& name) {
  detector_->HasWoken();
  auto prepared = Prepare(program.side);
  if (auto* problem = std::get_if<std::string>(&prepared)) return std::move(*problem);
  const Place& place = std::get<Place>(prepared);
  const uint8_t kernel = kernels_->world->topology().KernelOf(program.side);
  const Network::Visit there = network_->On(kernel);
  auto started = Program::Start(program, place.environment, ids_->On(kernel), place.places);
  if (auto* problem = std::get_if<std::string>(&started)) {
    close(place.listening);
    return std::move(*problem);
  }
  processes_->Add(std::make_unique<Process>(name, std::move(std::get<Program>(started)),
                                            program.side, place.number, place.listening));
  return {};
}

std::string Launcher::Open(uint8_t side) {
  const auto prepared = Prepare(side);
  if (const auto* problem = std::get_if<std::string>(&prepared)) return *problem;
  const Place& place = std::get<Place>(prepared);
  processes_->Add(std::make_unique<Process>(kernels_->world->topology().sides[side].name, side,
                                            place.number, place.listening));
  return {};
}

}  // namespace cm::app
