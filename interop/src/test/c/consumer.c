// A library that allocates through function pointers, for the tests of NativeAllocator and Dlpack.
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

typedef void *(*allocate_function)(size_t);
typedef void (*free_function)(void *);
typedef void *(*allocate_on_function)(intptr_t, int, void *);
typedef void (*free_on_function)(void *, intptr_t, int, void *);
typedef void (*record_use_function)(void *, void *);

struct tensor {
  struct {
    uint32_t major, minor;
  } version;
  void *context;
  void (*deleter)(struct tensor *);
  uint64_t flags;
  struct {
    void *data;
    struct {
      int32_t type, id;
    } device;
    int32_t dimensions;
    struct {
      uint8_t code, bits;
      uint16_t lanes;
    } type;
    int64_t *shape, *strides;
    uint64_t byte_offset;
  } content;
};

// The processor time of this thread, because others may use the machine.
static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return time.tv_sec * 1e9 + time.tv_nsec;
}

// Allocates and frees repeatedly; returns the nanoseconds of a pair, or -1 if an allocation
// failed.
double pairs(allocate_function allocate, free_function give_back, size_t bytes, long count) {
  double begun = now();
  for (long i = 0; i < count; i++) {
    void *memory = allocate(bytes);
    if (!memory) {
      return -1;
    }
    give_back(memory);
  }
  return (now() - begun) / count;
}

// Allocates many blocks and frees them in another order; returns the number of blocks.
long many(allocate_function allocate, free_function give_back, long count) {
  void **blocks = calloc(count, sizeof(void *));
  long got = 0;
  for (long i = 0; i < count; i++) {
    blocks[i] = allocate(256 * (1 + i % 7));
    got += blocks[i] != NULL;
  }
  for (long i = 0; i < count; i++) {
    give_back(blocks[i * 7919 % count]);
  }
  free(blocks);
  return got;
}

void *allocate_on(allocate_on_function allocate, intptr_t bytes, int device, void *stream) {
  return allocate(bytes, device, stream);
}

void free_on(free_on_function give_back, void *memory, intptr_t bytes, int device, void *stream) {
  give_back(memory, bytes, device, stream);
}

void record_use(record_use_function record, void *memory, void *stream) {
  record(memory, stream);
}

// Reads a tensor as a consumer would, deletes it, and returns a number computed from all members.
int64_t consume(struct tensor *tensor) {
  int64_t told = tensor->version.major * 1000000 + tensor->content.device.type * 100000 +
                 tensor->content.device.id * 10000 + tensor->content.type.code * 1000 +
                 tensor->content.type.bits;
  int64_t elements = 1;
  for (int i = 0; i < tensor->content.dimensions; i++) {
    elements *= tensor->content.shape[i];
  }
  // In a compact tensor the first stride is the product of all other dimensions.
  if (tensor->content.dimensions > 0 &&
      tensor->content.strides[0] * tensor->content.shape[0] != elements) {
    told = -1;
  }
  tensor->deleter(tensor);
  return told * 1000000 + elements;
}

static long deleted;

static void delete_own(struct tensor *tensor) {
  deleted++;
  free(tensor->content.shape);
  free(tensor);
}

long get_deleted(void) {
  return deleted;
}

// Creates a tensor of two dimensions and 32-bit floats over the caller's memory.
struct tensor *produce(void *data, int device, int64_t rows, int64_t columns) {
  struct tensor *made = calloc(1, sizeof(struct tensor));
  made->version.major = 1;
  made->version.minor = 1;
  made->deleter = delete_own;
  made->flags = 1;
  made->content.data = data;
  made->content.device.type = 2;
  made->content.device.id = device;
  made->content.dimensions = 2;
  made->content.type.code = 2;
  made->content.type.bits = 32;
  made->content.type.lanes = 1;
  made->content.shape = calloc(4, sizeof(int64_t));
  made->content.strides = made->content.shape + 2;
  made->content.shape[0] = rows;
  made->content.shape[1] = columns;
  made->content.strides[0] = columns;
  made->content.strides[1] = 1;
  made->content.byte_offset = 256;
  return made;
}
