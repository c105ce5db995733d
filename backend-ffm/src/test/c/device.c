// A libcuda with one device that runs nothing, for programs in a separate process. It prints
// fills, and the live handles when the context is released.
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef uint64_t address;
typedef void *handle;

static address next = 0x700000000000;
static int live;

static int nothing(void) { return 0; }

static int unsupported(void) { return 801; }

static int error_name(int error, const char **name) {
  (void)error;
  *name = "PLAYED_ERROR";
  return 0;
}

static int driver_version(int *version) {
  *version = 12080;
  return 0;
}

static int device_count(int *count) {
  *count = 1;
  return 0;
}

static int device_name(char *name, int length, int device) {
  (void)device;
  snprintf(name, length, "a device in C");
  return 0;
}

static int total_memory(size_t *bytes, int device) {
  (void)device;
  *bytes = (size_t)8 << 30;
  return 0;
}

static int attribute(int *value, int what, int device) {
  (void)device;
  *value = what == 75 ? 9 : what == 13 || what == 16 || what == 36 || what == 37 || what == 38;
  return 0;
}

static int can_access_peer(int *can, int device, int peer) {
  (void)device;
  (void)peer;
  *can = 0;
  return 0;
}

static _Thread_local handle current;

static int retain(handle *context, int device) {
  (void)device;
  *context = (handle)0x7700;
  return 0;
}

static int release(int device) {
  printf("device %d released, %d live\n", device, live);
  fflush(stdout);
  return 0;
}

static int get_current(handle *context) {
  *context = current;
  return 0;
}

static int set_current(handle context) {
  current = context;
  return 0;
}

static int memory_info(size_t *left, size_t *all) {
  *left = *all = (size_t)8 << 30;
  return 0;
}

static int allocate(address *memory, size_t bytes) {
  *memory = next;
  next += (bytes + 0x200000) / 0x200000 * 0x200000;
  live++;
  return 0;
}

static int give_back(address memory) {
  (void)memory;
  live--;
  return 0;
}

// For streams and events.
static int create(handle *made, unsigned flags) {
  (void)flags;
  *made = (handle)(uintptr_t)(next += 0x200000);
  live++;
  return 0;
}

static int destroy(handle made) {
  (void)made;
  live--;
  return 0;
}

static int fill(address memory, unsigned char value, size_t bytes, handle stream) {
  (void)memory;
  (void)stream;
  printf("%zu bytes filled with %d\n", bytes, value);
  fflush(stdout);
  return 0;
}

static const struct {
  const char *name;
  void *function;
} functions[] = {
    {"cuInit", nothing},
    {"cuGetErrorName", error_name},
    {"cuDriverGetVersion", driver_version},
    {"cuDeviceGetCount", device_count},
    {"cuDeviceGetName", device_name},
    {"cuDeviceTotalMem", total_memory},
    {"cuDeviceGetAttribute", attribute},
    {"cuDeviceCanAccessPeer", can_access_peer},
    {"cuDevicePrimaryCtxRetain", retain},
    {"cuDevicePrimaryCtxRelease", release},
    {"cuCtxGetCurrent", get_current},
    {"cuCtxSetCurrent", set_current},
    {"cuCtxSynchronize", nothing},
    {"cuMemGetInfo", memory_info},
    {"cuMemAlloc", allocate},
    {"cuMemFree", give_back},
    {"cuStreamCreate", create},
    {"cuStreamDestroy", destroy},
    {"cuStreamQuery", nothing},
    {"cuStreamSynchronize", nothing},
    {"cuStreamWaitEvent", nothing},
    {"cuEventCreate", create},
    {"cuEventDestroy", destroy},
    {"cuEventRecord", nothing},
    {"cuEventQuery", nothing},
    {"cuEventSynchronize", nothing},
    {"cuMemsetD8Async", fill},
};

int cuGetProcAddress_v2(const char *name, void **function, int version, uint64_t flags, int *status) {
  (void)version;
  (void)flags;
  *status = 0;
  *function = (void *)unsupported;
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
    if (!strcmp(name, functions[i].name)) {
      *function = functions[i].function;
    }
  }
  return 0;
}
