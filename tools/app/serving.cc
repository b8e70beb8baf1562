#include "tools/app/serving.h"

#include <utility>

namespace cm::app {

Serving::Serving(sim::World* world, sim::uapi::SharedTime* time, sim::uapi::SharedLines* lines,
                 Trace* trace, Order* order, const ProcessIds* ids, const Network* network,
                 const Orphans* orphans, Folder own_folder, uint64_t seed, Output::Hears hears,
                 SocketNotes::Sink on_socket)
    : folder(std::move(own_folder)),
      processes(orphans),
      kernels(world, time, &processes, std::move(on_socket)),
      endless(&processes),
      detector(&processes, &endless, &processor, &complaints),
      limits(&kernels, &processes),
      output(std::move(hears), &endless),
      pipes(&kernels, &detector),
      ends(&kernels, &processes, orphans, &folder, &detector, &output, trace, &complaints),
      responder(&kernels, &processes, &detector, &limits, &pipes, &ends, order, trace, &complaints),
      turns(&kernels, &processes, &detector, &limits, &pipes, &responder, order),
      receiver(&kernels, &processes, lines, &processor, &endless, &detector, &output, &pipes,
               &responder),
      launcher(&kernels, &processes, &folder, ids, network, &processor, &detector, seed) {}

}  // namespace cm::app
