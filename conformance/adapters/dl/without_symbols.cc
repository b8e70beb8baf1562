// For tests: a shared object that is no librdmacm.
extern "C" {

int rdma_destroy_id(void* id) { return id == nullptr ? -1 : 0; }

}  // extern "C"
