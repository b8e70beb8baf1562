#include "hw_tests/lab/machine.h"

namespace lab {
namespace {

void Append(std::vector<std::string>& options, const std::vector<std::string>& more) {
  options.insert(options.end(), more.begin(), more.end());
}

}  // namespace

std::vector<std::string> MachineShape() {
  return {// hpet=off leaves the TSC as the only clock; reading it costs no exit.
          "-machine", "pc,hpet=off", "-accel", "tcg,thread=single", "-smp", "1",  //
          "-icount", "shift=3,sleep=off", "-rtc", "base=2024-01-01,clock=vm", "-m", "512M",
          // panic=-1 and -no-reboot end QEMU when the guest's kernel panics.
          "-append", "console=ttyS0 quiet panic=-1 tsc=reliable mitigations=off",     //
          "-device", "virtio-serial-pci", "-device", "virtserialport,chardev=agent",  //
          "-device", "virtio-9p-pci,fsdev=share,mount_tag=share",                     //
          "-serial", "chardev:console"};
}

std::vector<std::string> MachineOptions(const MachinePlaces& places) {
  std::vector<std::string> options = {"-name",    "rdma-cm-lab", "-nodefaults", "-no-user-config",
                                      "-display", "none",        "-no-reboot"};
  const std::string share = "local,id=share,path=" + EscapedForOption(places.share) +
                            ",security_model=none,multidevs=remap";
  Append(options, {"-kernel", places.kernel, "-initrd", EscapedForOption(places.root)});
  Append(options, {"-chardev", "socket,id=agent,fd=" + std::to_string(places.agent)});
  Append(options, {"-chardev", "socket,id=monitor,fd=" + std::to_string(places.monitor)});
  Append(options, {"-mon", "chardev=monitor,mode=control"});
  Append(options, {"-chardev", "file,id=console,path=" + EscapedForOption(places.console)});
  Append(options, {"-fsdev", places.share_writable ? share : share + ",readonly=on"});
  Append(options, MachineShape());
  if (places.incoming >= 0) {
    Append(options, {"-incoming", "fd:" + std::to_string(places.incoming)});
  }
  return options;
}

std::string EscapedForOption(const std::string& path) {
  std::string escaped;
  for (char c : path) {
    escaped += c;
    if (c == ',') escaped += ',';
  }
  return escaped;
}

}  // namespace lab
