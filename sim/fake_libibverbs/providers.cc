// Symbols of the providers' libraries (libmlx5, libefa). Programs that link to them load; no
// simulated device belongs to a provider, so these functions are never called.
#include <cerrno>

#define NOBODY_CALLS(name) \
  int name() { return EOPNOTSUPP; }

extern "C" {

bool verbs_allow_disassociate_destroy = false;

// A provider registers here which devices it supports.
void verbs_register_driver_34(const void* /*operations*/) {}

NOBODY_CALLS(__verbs_log)
NOBODY_CALLS(_verbs_init_and_alloc_context)
NOBODY_CALLS(execute_ioctl)
NOBODY_CALLS(ibv_cmd_advise_mr)
NOBODY_CALLS(ibv_cmd_alloc_dm)
NOBODY_CALLS(ibv_cmd_alloc_mw)
NOBODY_CALLS(ibv_cmd_alloc_pd)
NOBODY_CALLS(ibv_cmd_attach_mcast)
NOBODY_CALLS(ibv_cmd_close_xrcd)
NOBODY_CALLS(ibv_cmd_create_ah)
NOBODY_CALLS(ibv_cmd_create_counters)
NOBODY_CALLS(ibv_cmd_create_cq_ex)
NOBODY_CALLS(ibv_cmd_create_flow)
NOBODY_CALLS(ibv_cmd_create_flow_action_esp)
NOBODY_CALLS(ibv_cmd_create_qp_ex)
NOBODY_CALLS(ibv_cmd_create_qp_ex2)
NOBODY_CALLS(ibv_cmd_create_rwq_ind_table)
NOBODY_CALLS(ibv_cmd_create_srq)
NOBODY_CALLS(ibv_cmd_create_srq_ex)
NOBODY_CALLS(ibv_cmd_create_wq)
NOBODY_CALLS(ibv_cmd_dealloc_mw)
NOBODY_CALLS(ibv_cmd_dealloc_pd)
NOBODY_CALLS(ibv_cmd_dereg_mr)
NOBODY_CALLS(ibv_cmd_destroy_ah)
NOBODY_CALLS(ibv_cmd_destroy_counters)
NOBODY_CALLS(ibv_cmd_destroy_cq)
NOBODY_CALLS(ibv_cmd_destroy_flow)
NOBODY_CALLS(ibv_cmd_destroy_flow_action)
NOBODY_CALLS(ibv_cmd_destroy_qp)
NOBODY_CALLS(ibv_cmd_destroy_rwq_ind_table)
NOBODY_CALLS(ibv_cmd_destroy_srq)
NOBODY_CALLS(ibv_cmd_destroy_wq)
NOBODY_CALLS(ibv_cmd_detach_mcast)
NOBODY_CALLS(ibv_cmd_free_dm)
NOBODY_CALLS(ibv_cmd_get_context)
NOBODY_CALLS(ibv_cmd_modify_cq)
NOBODY_CALLS(ibv_cmd_modify_flow_action_esp)
NOBODY_CALLS(ibv_cmd_modify_qp)
NOBODY_CALLS(ibv_cmd_modify_qp_ex)
NOBODY_CALLS(ibv_cmd_modify_srq)
NOBODY_CALLS(ibv_cmd_modify_wq)
NOBODY_CALLS(ibv_cmd_open_qp)
NOBODY_CALLS(ibv_cmd_open_xrcd)
NOBODY_CALLS(ibv_cmd_query_context)
NOBODY_CALLS(ibv_cmd_query_device_any)
NOBODY_CALLS(ibv_cmd_query_mr)
NOBODY_CALLS(ibv_cmd_query_port)
NOBODY_CALLS(ibv_cmd_query_qp)
NOBODY_CALLS(ibv_cmd_query_srq)
NOBODY_CALLS(ibv_cmd_read_counters)
NOBODY_CALLS(ibv_cmd_reg_dm_mr)
NOBODY_CALLS(ibv_cmd_reg_dmabuf_mr)
NOBODY_CALLS(ibv_cmd_reg_mr)
NOBODY_CALLS(ibv_cmd_rereg_mr)
NOBODY_CALLS(ibv_cmd_resize_cq)
NOBODY_CALLS(verbs_init_cq)
NOBODY_CALLS(verbs_open_device)
NOBODY_CALLS(verbs_set_ops)
NOBODY_CALLS(verbs_uninit_context)
}
