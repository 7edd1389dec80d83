// Eigen allocates by malloc, the standard library by operator new, which itself calls malloc: counting the
// malloc family therefore counts everything once. Without sanitizers it is replaced by counting wrappers
// around glibc's own functions; the address sanitizer brings its own allocator and offers a hook instead.
#include "support/allocation_counter.h"

#include <atomic>
#include <cstddef>

namespace {

// Constant-initialised: the first allocation comes before any constructor has run.
std::atomic<long> allocations{0};

}  // namespace

#if defined(__has_feature)  // clang's way to say it
#if __has_feature(address_sanitizer) && !defined(__SANITIZE_ADDRESS__)
#define __SANITIZE_ADDRESS__ 1  // NOLINT: GCC's way
#endif
#endif

#if defined(__SANITIZE_ADDRESS__)

// Declared here because not every compiler package brings its header.
extern "C" int __sanitizer_install_malloc_and_free_hooks(void (*malloc_hook)(const volatile void*,
                                                                             std::size_t),
                                                         void (*free_hook)(const volatile void*));

namespace {

void count_allocation(const volatile void*, std::size_t) {
  allocations.fetch_add(1, std::memory_order_relaxed);
}
void ignore_free(const volatile void*) {}
[[maybe_unused]] const int installed =
    __sanitizer_install_malloc_and_free_hooks(count_allocation, ignore_free);

}  // namespace

#else

extern "C" {

void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* block, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);

__attribute__((visibility("default"))) void* malloc(std::size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return __libc_malloc(size);
}

__attribute__((visibility("default"))) void* calloc(std::size_t count, std::size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return __libc_calloc(count, size);
}

__attribute__((visibility("default"))) void* realloc(void* block, std::size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return __libc_realloc(block, size);
}

__attribute__((visibility("default"))) void* aligned_alloc(std::size_t alignment, std::size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return __libc_memalign(alignment, size);
}

}  // extern "C"

#endif

namespace catena::testing {

AllocationCounter::AllocationCounter() : start_(allocations.load(std::memory_order_relaxed)) {}

long AllocationCounter::count() const {
  return allocations.load(std::memory_order_relaxed) - start_;
}

}  // namespace catena::testing
