#include <array>

#include "model/qp/rules.h"

namespace cm::model::rules {
namespace {

constexpr QpPhases kAnyQp = QpPhases::All(kQpPhaseCount);

// clang-format off
constexpr auto kQpsRows = std::to_array<QpRule>({
  {"qp-create-1", QpPhase::kNone, QpStimulus::kCreate, true, QpPhase::kInit, {"man rdma_create_qp(3)", "6.1-rxe/01-connect_disconnect_by_active:11"}},
  {"qp-create-2", kAnyQp.Except(QpPhase::kNone), QpStimulus::kCreate, false, QpPhase::kSame, {"rdma-core 44 cma.c rdma_create_qp_ex", "6.1-rxe/49-qp_misuse:18"}},
  {"qp-up-1", QpPhase::kInit, QpStimulus::kBringUp, true, QpPhase::kRts, {"rdma-core 44 cma.c ucma_modify_qp_rtr, ucma_modify_qp_rts", "6.1-rxe/01-connect_disconnect_by_active:15"}},
  {"qp-up-2", QpPhase::kNone, QpStimulus::kBringUp, true, QpPhase::kSame, {"rdma-core 44 cma.c ucma_modify_qp_rtr", "lab 6.1-rxe, seed 1"}},
  {"qp-up-3", QpPhases(QpPhase::kRtr) | QpPhase::kRts | QpPhase::kErr, QpStimulus::kBringUp, false, QpPhase::kSame, {"linux 6.1 verbs.c ib_modify_qp_is_ok", "lab 6.1-rxe depth, seed 1"}},
  {"qp-up-4", QpPhase::kInit, QpStimulus::kHalfUp, true, QpPhase::kRtr, {"rdma-core 44 cma.c ucma_modify_qp_rts", "lab 6.1-rxe depth, seed 1"}, over::kIbCm},
  {"qp-error-1", kAnyQp.Except(QpPhase::kNone), QpStimulus::kError, true, QpPhase::kErr, {"rdma-core 44 cma.c ucma_modify_qp_err", "6.1-rxe/01-connect_disconnect_by_active:20"}},
  {"qp-error-2", QpPhase::kNone, QpStimulus::kError, true, QpPhase::kSame, {"rdma-core 44 cma.c ucma_modify_qp_err", "6.1-rxe/05-connect_without_qp_then_establish:21"}},
  {"qp-destroy-1", kAnyQp.Except(QpPhase::kNone), QpStimulus::kDestroy, true, QpPhase::kNone, {"man rdma_destroy_qp(3)", "6.1-rxe/15-connecting_id_destroyed_after_accept:17"}},
  {"sidr-qp-create-1", QpPhase::kNone, QpStimulus::kCreateDatagram, true, QpPhase::kRts, {"rdma-core 44 cma.c ucma_init_ud_qp", "6.1-rxe/49-qp_misuse:11"}},
  {"sidr-qp-create-2", kAnyQp.Except(QpPhase::kNone), QpStimulus::kCreateDatagram, false, QpPhase::kSame, {"rdma-core 44 cma.c rdma_create_qp_ex", "lab 6.1-rxe datagrams, seed 1"}},
});
// clang-format on

}  // namespace

constinit const std::span<const QpRule> kQps = kQpsRows;

}  // namespace cm::model::rules
