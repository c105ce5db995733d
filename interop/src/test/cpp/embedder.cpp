// A native program that allocates from Vramkit like PyTorch: on several threads, with one
// allocation that fails.
// usage: embedder LIBRARY LIBJVM THREADS PAIRS [JVM OPTION...]
#include <dlfcn.h>
#include <time.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <thread>
#include <vector>

namespace {

void *library;

template <typename Function>
Function *function(const char *name) {
  void *found = dlsym(library, name);
  if (found == nullptr) {
    std::printf("missing: %s\n", name);
    std::exit(2);
  }
  return reinterpret_cast<Function *>(found);
}

using allocate_function = void *(std::int64_t, int, void *);
using free_function = void(void *, std::int64_t, int, void *);

// The processor time of this thread, because others may use the machine.
double now() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return time.tv_sec * 1e9 + time.tv_nsec;
}

// Allocates blocks of many sizes and frees them in another order; returns the nanoseconds of a
// pair.
double pairs(long count) {
  auto allocate = function<allocate_function>("vramkit_allocate");
  auto give_back = function<free_function>("vramkit_free");
  const int held = 20;
  double begun = now();
  for (long done = 0; done < count; done += held) {
    void *blocks[held];
    for (int i = 0; i < held; i++) {
      blocks[i] = allocate(4096 * (1 + i), 0, nullptr);
    }
    for (int i = 0; i < held; i++) {
      int at = i * 7 % held;
      give_back(blocks[at], 4096 * (1 + at), 0, nullptr);
    }
  }
  return (now() - begun) / count;
}

}  // namespace

int main(int count, char **arguments) {
  library = dlopen(arguments[1], RTLD_NOW);
  if (library == nullptr) {
    std::printf("missing: %s\n", dlerror());
    return 2;
  }
  auto start = function<const char *(const char *, const char *const *, int, int)>("vramkit_start");
  auto allocate = function<allocate_function>("vramkit_allocate");
  try {
    allocate(1, 0, nullptr);
  } catch (const std::exception &e) {
    std::printf("before the start: %s\n", e.what());
  }
  const char *failure = start(arguments[2], arguments + 5, count - 5, 0);
  if (failure != nullptr) {
    std::printf("failure: %s\n", failure);
    return 3;
  }
  long each = std::atol(arguments[4]);
  std::printf("main thread: %.0f ns a pair\n", pairs(each));
  std::vector<std::thread> threads;
  for (int i = std::atoi(arguments[3]); i > 0; i--) {
    threads.emplace_back([each] { std::printf("other thread: %.0f ns a pair\n", pairs(each)); });
  }
  for (std::thread &thread : threads) {
    thread.join();
  }
  void *block = allocate(1 << 20, 0, nullptr);
  function<void(void *, void *)>("vramkit_record_stream")(block, nullptr);
  function<free_function>("vramkit_free")(block, 1 << 20, 0, nullptr);
  try {
    allocate(std::int64_t{1} << 60, 0, nullptr);
  } catch (const std::exception &e) {
    std::printf("refused: %s\n", e.what());
  }
  std::int64_t figures[5];
  function<void(std::int64_t *)>("vramkit_statistics")(figures);
  std::printf("requested %ld, reserved %s, %ld allocations\n", figures[0], figures[3] >= figures[1] ? "more" : "less", figures[4]);
  function<void()>("vramkit_empty_cache")();
  function<void(std::int64_t *)>("vramkit_statistics")(figures);
  std::printf("reserved after empty_cache: %ld\n", figures[2]);
  std::printf("once more: %s\n", start(arguments[2], arguments + 5, count - 5, 0));
  return 0;
}
