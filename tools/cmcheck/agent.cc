#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "conformance/adapters/exec/serve.h"
#include "conformance/adapters/exec/site.h"
#include "conformance/driver/implementation.h"
#include "conformance/process/descriptor.h"
#include "hw_tests/node/guardian.h"
#include "hw_tests/node/node_place.h"
#include "model/vocabulary/sockaddr.h"
#include "tools/cmcheck/command.h"
#include "tools/cmcheck/implementations.h"
#include "tools/cmcheck/verbs.h"

namespace cm {
namespace {

constexpr int kNowhere = -1;

struct AgentOptions {
  Asked asked = {.impl = "dl"};
  int port = kNowhere;
  bool restore = false;
  std::string silent;
  std::string unroutable;
  std::string foreign;
};

// What is wrong, or an empty text.
std::string SetHosts(const AgentOptions& options) {
  for (const auto& [kind, text] : {std::pair{AddressKind::kSilent, &options.silent},
                                   {AddressKind::kUnroutable, &options.unroutable},
                                   {AddressKind::kForeign, &options.foreign}}) {
    if (text->empty()) continue;
    auto hosts = ParseHosts(*text);
    if (auto* problem = std::get_if<std::string>(&hosts)) return std::move(*problem);
    SetHost(kind, std::get<HostAddress>(std::move(hosts)));
  }
  return {};
}

// A socket that listens on the loopback address, or the error.
std::variant<Descriptor, std::string> Listening(int* port) {
  Descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(*port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int yes = 1;
  setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
  socklen_t size = sizeof(address);
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  if (bind(socket.get(), any, size) != 0 || listen(socket.get(), 1) != 0 ||
      getsockname(socket.get(), any, &size) != 0)
    return fmt::format("--listen {}: {}", *port, strerror(errno));
  *port = ntohs(address.sin_port);
  return socket;
}

// Serves suites that know the token, one after the other.
int ServeAll(Implementation& implementation, const Greeting& greeting, int port) {
  const char* const token = std::getenv(kTokenVariable);
  if (token == nullptr || *token == '\0')
    return Unusable(
        fmt::format("--listen: {} in the environment has the token that a suite "
                    "must send, and is not set",
                    kTokenVariable));
  auto listening = Listening(&port);
  if (auto* problem = std::get_if<std::string>(&listening)) return Unusable(*problem);
  const Descriptor& socket = std::get<Descriptor>(listening);
  fmt::print(stderr, "cmcheck: listening on 127.0.0.1:{}\n", port);
  while (!Interrupted()) {
    const int connected = accept4(socket.get(), nullptr, nullptr, SOCK_CLOEXEC);
    if (connected < 0) continue;
    std::FILE* const input = fdopen(connected, "r");
    std::FILE* const output = fdopen(dup(connected), "w");
    if (!ServeConversations(implementation, greeting, token, input, output))
      fmt::print(stderr, "cmcheck: a connection ended, or did not send the token\n");
    std::fclose(output);
    std::fclose(input);
  }
  return kExitInterrupted;
}

// Undoes what agents have left that were killed together with their guardians.
int RestoreAll(const AgentOptions& options) {
  std::vector<std::string> lines;
  const std::string& records = options.asked.records;
  const bool all =
      node::Restore(records.empty() ? node::kRecords : FromUsersFolder(records), &lines);
  for (const std::string& line : lines) fmt::print("{}\n", line);
  if (lines.empty()) fmt::print("nothing is left to undo\n");
  return all ? kExitClean : kExitFound;
}

int Agent(const AgentOptions& options) {
  if (options.restore) return RestoreAll(options);
  if (const std::string problem = SetHosts(options); !problem.empty()) return Unusable(problem);
  auto resolved = Resolve(options.asked);
  if (auto* problem = std::get_if<std::string>(&resolved)) return Unusable(*problem);
  Implementation& implementation = *std::get<Answering>(resolved).implementation;
  const Greeting greeting = GreetingOf(implementation);
  if (options.port != kNowhere) return ServeAll(implementation, greeting, options.port);
  const bool served = ServeConversations(implementation, greeting, {}, stdin, stdout);
  if (Interrupted()) return kExitInterrupted;
  if (const std::string why = implementation.Spoiled(); !why.empty())
    fmt::print(stderr, "cmcheck: the agent ends, so that the next one begins afresh: {}\n", why);
  return served ? kExitClean : Unusable("standard output cannot be written: it is closed");
}

}  // namespace

void AddAgent(Verb cmcheck) {
  Verb verb = cmcheck.Add("agent", "Carry out conversations for a suite that runs elsewhere", R"(
Speaks the driver protocol (docs/driver_protocol.md) over standard input and output, or to those who
connect, one after the other: as `--impl exec:COMMAND` or `--impl tcp:HOST:PORT` of another cmcheck.
It listens on the loopback address only; let a tunnel lead there.
Examples:
  cmcheck run --impl 'exec:ssh node1 cmcheck agent' --sequences 100
  cmcheck run --impl 'exec:cmcheck agent --impl lib' --sequences 100
  cmcheck agent --restore
  CMCHECK_TOKEN=secret cmcheck agent --listen 7180)");
  auto options = std::make_shared<AgentOptions>();
  AddAsked(verb, &options->asked);
  verb.Number("--listen", &options->port, 0, 65535,
              "Port on the loopback address, 0 for any; CMCHECK_TOKEN is wanted");
  verb.Text("--address", &options->asked.address,
            "With --allow: the IPv4 address of the interface to which something may be done");
  verb.Text("--control", &options->asked.control,
            "With --allow: the interface that carries the connection to the suite, or none; "
            "default: the one at which sshd was reached");
  verb.Text("--records", &options->asked.records,
            "Folder for what is to be undone; default: /run/cmcheck");
  verb.Flag("--restore", &options->restore,
            "Undo what agents have left that were killed together with their guardians");
  verb.Text("--silent", &options->silent,
            "V4,V6: addresses of the passive side's subnet that no host has; `none` for either");
  verb.Text("--unroutable", &options->unroutable, "V4,V6: addresses that no route leads to");
  verb.Text("--foreign", &options->foreign, "V4,V6: addresses of no interface here or there");
  verb.Does([options] { return Agent(*options); });
}

}  // namespace cm
