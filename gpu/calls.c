// Makes the driver calls of DriverCallBenchmark in C, the lower bound of their cost. Prints the name and nanoseconds
// of each. Build: cc -O2 -o calls gpu/calls.c -ldl; needs no CUDA headers.
#define _POSIX_C_SOURCE 200809L
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef void *handle;
typedef unsigned long long address;

static void *library;

static void *find(const char *name) {
  void *found = dlsym(library, name);
  if (!found) {
    fprintf(stderr, "calls: the driver lacks %s\n", name);
    exit(1);
  }
  return found;
}

static void require(int result, const char *what) {
  if (result != 0) {
    fprintf(stderr, "calls: %s returned %d\n", what, result);
    exit(1);
  }
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1e9 + time.tv_nsec;
}

// Prints the median of five rounds of half a second.
#define MEASURE(name, body)                                            \
  do {                                                                 \
    double rounds[5];                                                  \
    for (int round = 0; round < 5; round++) {                          \
      double begun = now(), passed = 0;                                \
      long calls = 0;                                                  \
      while ((passed = now() - begun) < 5e8) {                         \
        for (int i = 0; i < 1000; i++) {                               \
          body;                                                        \
        }                                                              \
        calls += 1000;                                                 \
      }                                                                \
      rounds[round] = passed / calls;                                  \
    }                                                                  \
    qsort(rounds, 5, sizeof(double), compare);                         \
    printf("%s %.1f\n", name, rounds[2]);                              \
  } while (0)

static int compare(const void *one, const void *other) {
  double a = *(const double *)one, b = *(const double *)other;
  return a < b ? -1 : a > b;
}

struct location {
  int type, id;
};

struct properties {
  int type, handles;
  struct location location;
  void *security;
  unsigned char flags[8];
};

int main(void) {
  library = dlopen("libcuda.so.1", RTLD_NOW);
  if (!library) {
    fprintf(stderr, "calls: %s\n", dlerror());
    return 1;
  }
  int (*init)(unsigned) = find("cuInit");
  int (*retain)(handle *, int) = find("cuDevicePrimaryCtxRetain");
  int (*set_current)(handle) = find("cuCtxSetCurrent");
  int (*get_current)(handle *) = find("cuCtxGetCurrent");
  int (*create_stream)(handle *, unsigned) = find("cuStreamCreate");
  int (*query_stream)(handle) = find("cuStreamQuery");
  int (*synchronize)(handle) = find("cuStreamSynchronize");
  int (*create_event)(handle *, unsigned) = find("cuEventCreate");
  int (*record)(handle, handle) = find("cuEventRecord");
  int (*query_event)(handle) = find("cuEventQuery");
  int (*allocate)(address *, size_t, handle) = find("cuMemAllocAsync");
  int (*give_back)(address, handle) = find("cuMemFreeAsync");
  int (*reserve)(address *, size_t, size_t, address, unsigned long long) = find("cuMemAddressReserve");
  int (*create)(address *, size_t, const struct properties *, unsigned long long) = find("cuMemCreate");
  int (*map)(address, size_t, size_t, address, unsigned long long) = find("cuMemMap");
  int (*unmap)(address, size_t) = find("cuMemUnmap");

  handle context, current, stream, event;
  require(init(0), "cuInit");
  require(retain(&context, 0), "cuDevicePrimaryCtxRetain");
  require(set_current(context), "cuCtxSetCurrent");
  require(create_stream(&stream, 1), "cuStreamCreate");
  require(create_event(&event, 2), "cuEventCreate");
  require(record(event, stream), "cuEventRecord");
  require(synchronize(stream), "cuStreamSynchronize");

  MEASURE("currentContext", require(get_current(&current), "cuCtxGetCurrent"));
  MEASURE("streamQuery", require(query_stream(stream), "cuStreamQuery"));
  MEASURE("eventQuery", require(query_event(event), "cuEventQuery"));
  MEASURE("eventRecordAndQuery", require(record(event, stream), "cuEventRecord"); query_event(event));
  address memory;
  MEASURE("allocateAndFree", require(allocate(&memory, 1 << 20, stream), "cuMemAllocAsync");
          require(give_back(memory, stream), "cuMemFreeAsync"));
  size_t page = 2 << 20;
  address range, physical;
  struct properties properties = {1, 0, {1, 0}, NULL, {0}};
  require(reserve(&range, page, 0, 0, 0), "cuMemAddressReserve");
  require(create(&physical, page, &properties, 0), "cuMemCreate");
  MEASURE("mapAndUnmap", require(map(range, page, 0, physical, 0), "cuMemMap");
          require(unmap(range, page), "cuMemUnmap"));
  return 0;
}
