// For tests: a shared object that is no librdmacm, and says so only when it is asked.
extern "C" {

int rdma_destroy_id(void* id) { return id == nullptr ? -1 : 0; }

}  // extern "C"
