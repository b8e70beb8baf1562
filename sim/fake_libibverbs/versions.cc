// Functions for programs and libraries that were built with an older C library: they ask for older
// versions of the symbols, and would get the C library's own.
#if defined(__x86_64__)

// One of the older version that jumps to ours.
#define CM_ALSO(name, version)            \
  __asm__(                                \
      ".text\n"                           \
      ".globl cm_" #name                  \
      "\n"                                \
      ".type cm_" #name                   \
      ", @function\n"                     \
      "cm_" #name                         \
      ":\n"                               \
      "jmp " #name                        \
      "@PLT\n"                            \
      ".size cm_" #name ", . - cm_" #name \
      "\n"                                \
      ".symver cm_" #name ", " #name "@" version "\n")

// source: versions of symbols in glibc 2.36 of x86-64, without those whose objects are others
CM_ALSO(clock_gettime, "GLIBC_2.2.5");
CM_ALSO(clock_nanosleep, "GLIBC_2.2.5");
CM_ALSO(cnd_broadcast, "GLIBC_2.28");
CM_ALSO(cnd_signal, "GLIBC_2.28");
CM_ALSO(cnd_timedwait, "GLIBC_2.28");
CM_ALSO(cnd_wait, "GLIBC_2.28");
CM_ALSO(mq_timedreceive, "GLIBC_2.3.4");
CM_ALSO(mq_timedsend, "GLIBC_2.3.4");
CM_ALSO(mtx_lock, "GLIBC_2.28");
CM_ALSO(mtx_timedlock, "GLIBC_2.28");
CM_ALSO(mtx_unlock, "GLIBC_2.28");
CM_ALSO(posix_spawn, "GLIBC_2.2.5");
CM_ALSO(posix_spawnp, "GLIBC_2.2.5");
CM_ALSO(pthread_barrier_wait, "GLIBC_2.2.5");
CM_ALSO(pthread_clockjoin_np, "GLIBC_2.31");
CM_ALSO(pthread_cond_clockwait, "GLIBC_2.30");
CM_ALSO(pthread_create, "GLIBC_2.2.5");
CM_ALSO(pthread_getaffinity_np, "GLIBC_2.3.4");
CM_ALSO(pthread_kill, "GLIBC_2.2.5");
CM_ALSO(pthread_mutex_clocklock, "GLIBC_2.30");
CM_ALSO(pthread_mutex_timedlock, "GLIBC_2.2.5");
CM_ALSO(pthread_rwlock_clockrdlock, "GLIBC_2.30");
CM_ALSO(pthread_rwlock_clockwrlock, "GLIBC_2.30");
CM_ALSO(pthread_rwlock_rdlock, "GLIBC_2.2.5");
CM_ALSO(pthread_rwlock_timedrdlock, "GLIBC_2.2.5");
CM_ALSO(pthread_rwlock_timedwrlock, "GLIBC_2.2.5");
CM_ALSO(pthread_rwlock_unlock, "GLIBC_2.2.5");
CM_ALSO(pthread_rwlock_wrlock, "GLIBC_2.2.5");
CM_ALSO(pthread_setaffinity_np, "GLIBC_2.3.4");
CM_ALSO(pthread_sigmask, "GLIBC_2.2.5");
CM_ALSO(pthread_sigqueue, "GLIBC_2.11");
CM_ALSO(pthread_timedjoin_np, "GLIBC_2.3.3");
CM_ALSO(sem_clockwait, "GLIBC_2.30");
CM_ALSO(sem_post, "GLIBC_2.2.5");
CM_ALSO(sem_timedwait, "GLIBC_2.2.5");
CM_ALSO(sem_wait, "GLIBC_2.2.5");
CM_ALSO(thrd_create, "GLIBC_2.28");
CM_ALSO(timer_create, "GLIBC_2.3.3");
CM_ALSO(timer_delete, "GLIBC_2.3.3");
CM_ALSO(timer_getoverrun, "GLIBC_2.3.3");
CM_ALSO(timer_gettime, "GLIBC_2.3.3");
CM_ALSO(timer_settime, "GLIBC_2.3.3");

#endif
