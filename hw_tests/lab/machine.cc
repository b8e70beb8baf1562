#include "hw_tests/lab/machine.h"

namespace lab {
namespace {

void Append(std::vector<std::string>& options, const std::vector<std::string>& more) {
  options.insert(options.end(), more.begin(), more.end());
}

// What a node's devices lead to.
std::vector<std::string> NodeOptions(const NodePlaces& node) {
  const std::string driver =
      node.driver < 0 ? "null,id=driver" : "socket,id=driver,fd=" + std::to_string(node.driver);
  const std::string wire =
      node.wire_here.empty()
          ? "hubport,id=wire,hubid=0"
          : "dgram,id=wire,local.type=unix,local.path=" + EscapedForOption(node.wire_here) +
                ",remote.type=unix,remote.path=" + EscapedForOption(node.wire_there);
  // The guest reaches nothing over it; its address is net_control.sh's.
  std::string control = "user,id=control,restrict=on,net=198.18.0.0/24";
  if (node.control_port != 0)
    control += ",hostfwd=tcp:127.0.0.1:" + std::to_string(node.control_port) + "-198.18.0.15:22";
  return {"-chardev", driver, "-netdev", wire, "-netdev", control};
}

}  // namespace

std::vector<std::string> MachineShape(MachineKind kind) {
  if (kind == MachineKind::kNode)
    return {"-machine", "pc", "-accel", "tcg,thread=single", "-smp", "1", "-m", "512M",
            // A counter of the processor would have to be measured, on a host that is busy. The
            // guest's clock goes back, and stands still, when half a counter's range has passed
            // while a busy host let it wait (linux 6.1 clocksource_delta): 2.3 s of the default
            // acpi_pm, 21 s of the HPET.
            "-append",
            "console=ttyS0 quiet oops=panic panic=-1 mitigations=off clocksource=hpet",  //
            "-device", "virtio-serial-pci", "-device", "virtserialport,chardev=agent",   //
            "-device", "virtserialport,chardev=driver",                                  //
            "-device", "virtio-9p-pci,fsdev=share,mount_tag=share",                      //
            "-device", "virtio-net-pci,netdev=wire,romfile=",                            //
            "-device", "virtio-net-pci,netdev=control,romfile=", "-serial", "chardev:console"};
  return {// hpet=off leaves the TSC as the only clock; reading it costs no exit.
          "-machine", "pc,hpet=off", "-accel", "tcg,thread=single", "-smp", "1",  //
          "-icount", "shift=3,sleep=off", "-rtc", "base=2024-01-01,clock=vm", "-m", "512M",
          // oops=panic, panic=-1 and -no-reboot end QEMU when the kernel of the guest fails: a
          // thread that dies with a lock held leaves a guest that never answers.
          "-append", "console=ttyS0 quiet oops=panic panic=-1 tsc=reliable mitigations=off",  //
          "-device", "virtio-serial-pci", "-device", "virtserialport,chardev=agent",          //
          "-device", "virtio-9p-pci,fsdev=share,mount_tag=share",                             //
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
  if (places.kind == MachineKind::kNode) Append(options, NodeOptions(places.node));
  Append(options, MachineShape(places.kind));
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
