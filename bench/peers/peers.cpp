// Times the allocators of allocators.h with the workloads of workload.h and prints one JSON object per
// line.
//
//   peers ALLOCATOR SECONDS [NAME=TRACE.csv]...      ALLOCATOR: pytorch, driver-pool
#include "allocators.h"

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: peers pytorch|driver-pool SECONDS [NAME=TRACE.csv]...\n");
    return 2;
  }
  try {
    std::unique_ptr<Allocator> allocator = openAllocator(argv[1]);
    double seconds = std::stod(argv[2]);
    for (int i = 3; i < argc; i++) {
      TraceArgument trace(argv[i]);
      replay(*allocator, trace.name, trace.file, 2);
    }
    allocator->reset();
    for (size_t bytes : {size_t{512}, size_t{1} << 20, size_t{8} << 20}) {
      hit(*allocator, bytes, seconds);
    }
    for (bool shared : {false, true}) {
      for (int threads : {1, 2, 4, 8, 16}) {
        allocator->reset();
        churn(*allocator, threads, shared, seconds);
      }
    }
  } catch (const std::exception& e) {
    std::fprintf(stderr, "peers: %s\n", e.what());
    return 1;
  }
  return 0;
}
