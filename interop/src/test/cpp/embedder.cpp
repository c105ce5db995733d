// A native program that allocates from Vramkit like PyTorch: on several threads, with one
// allocation that fails.
// usage: embedder LIBRARY LIBJVM THREADS PAIRS [JVM OPTION...]; with 0 pairs, it tries what a thread holds
#include <dlfcn.h>
#include <time.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <set>
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

const std::int64_t small = 1 << 16;

std::int64_t figure(int index) {
  std::int64_t figures[5];
  function<void(std::int64_t *)>("vramkit_statistics")(figures);
  return figures[index];
}

// Does what is right and what is wrong with blocks that a thread holds; Java logs what is wrong.
void holds() {
  auto allocate = function<allocate_function>("vramkit_allocate");
  auto give_back = function<free_function>("vramkit_free");
  auto empty_cache = function<void()>("vramkit_empty_cache");
  void *block = allocate(small, 0, nullptr);
  give_back(block, small, 0, nullptr);
  std::printf("the same block: %d\n", block == allocate(small, 0, nullptr));
  std::printf("live %ld\n", figure(0));
  give_back(block, small, 0, nullptr);
  std::printf("freed, live %ld\n", figure(0));
  // Freed twice, by this thread and by another one; only Java can tell, so the front gives its blocks back.
  give_back(block, small, 0, nullptr);
  block = allocate(small, 0, nullptr);
  give_back(block, small, 0, nullptr);
  std::thread([=] { give_back(block, small, 0, nullptr); }).join();
  void *first = allocate(small, 0, nullptr);
  void *second = allocate(small, 0, nullptr);
  std::printf("taken twice: %d\n", first == second);
  give_back(first, small, 0, nullptr);
  give_back(second, small, 0, nullptr);
  // Freed for another stream than that of the allocation, after a use by a stream, and then freed again.
  auto record = function<void(void *, void *)>("vramkit_record_stream");
  void *other_stream = reinterpret_cast<void *>(1);
  block = allocate(small, 0, nullptr);
  record(block, nullptr);
  give_back(block, small, 0, other_stream);
  give_back(block, small, 0, nullptr);
  block = allocate(small, 0, nullptr);
  give_back(block, small, 0, nullptr);
  give_back(block, small, 0, other_stream);
  first = allocate(small, 0, nullptr);
  second = allocate(small, 0, nullptr);
  std::printf("taken twice, for another stream: %d\n", first == second);
  give_back(first, small, 0, nullptr);
  give_back(second, small, 0, nullptr);
  give_back(reinterpret_cast<void *>(4096), small, 0, nullptr);
  // More than a front holds.
  std::vector<void *> many;
  for (int i = 0; i < 200; i++) {
    many.push_back(allocate(small + 512 * (i % 7), 0, nullptr));
  }
  for (int i = 0; i < 200; i++) {
    give_back(many[i], small + 512 * (i % 7), 0, nullptr);
  }
  std::printf("after many, live %ld\n", figure(0));
  empty_cache();
  std::printf("after empty_cache, reserved %ld\n", figure(2));
  // A block that another stream used is Java's to order.
  block = allocate(small, 0, nullptr);
  give_back(block, small, 0, nullptr);
  record(block, nullptr);
  // All but what the front holds is taken: the allocator asks the front before it fails.
  empty_cache();
  std::vector<void *> held;
  for (int i = 0; i < 4; i++) {
    held.push_back(allocate(3 << 20, 0, nullptr));
  }
  for (void *each : held) {
    give_back(each, 3 << 20, 0, nullptr);
  }
  void *large = allocate((32 << 20) - (4 << 20), 0, nullptr);
  std::printf("large: %d\n", large != nullptr);
  give_back(large, (32 << 20) - (4 << 20), 0, nullptr);
}

// Threads that take blocks of each other and write to none twice; tells whether a block had two owners.
bool shares(int threads, int rounds) {
  auto allocate = function<allocate_function>("vramkit_allocate");
  auto give_back = function<free_function>("vramkit_free");
  std::mutex mutex;
  std::vector<void *> passed;
  std::set<void *> owned;
  bool twice = false;
  std::vector<std::thread> all;
  for (int i = 0; i < threads; i++) {
    all.emplace_back([&, i] {
      for (int round = 0; round < rounds; round++) {
        void *block = allocate(small, 0, nullptr);
        void *given = nullptr;
        {
          std::lock_guard<std::mutex> guard(mutex);
          twice |= !owned.insert(block).second;
          passed.push_back(block);
          if (passed.size() > 20) {
            given = passed[(round * 7 + i) % passed.size()];
            passed.erase(std::find(passed.begin(), passed.end(), given));
            owned.erase(given);
          }
        }
        if (given != nullptr) {
          give_back(given, small, 0, nullptr);
        }
        if (round % 100 == i) {
          function<void()>("vramkit_empty_cache")();
        }
      }
    });
  }
  for (std::thread &each : all) {
    each.join();
  }
  for (void *each : passed) {
    give_back(each, small, 0, nullptr);
  }
  return twice;
}

// Takes many small blocks of one size while there is much free memory, so that they come several at a time.
void takes_many() {
  auto allocate = function<allocate_function>("vramkit_allocate");
  auto give_back = function<free_function>("vramkit_free");
  std::vector<void *> blocks;
  for (int i = 0; i < 200; i++) {
    blocks.push_back(allocate(1 << 20, 0, nullptr));
  }
  for (void *each : blocks) {
    give_back(each, 1 << 20, 0, nullptr);
  }
  std::int64_t before = figure(0);
  std::set<void *> distinct;
  for (int i = 0; i < 1000; i++) {
    distinct.insert(allocate(4096, 0, nullptr));
  }
  std::printf("many of one size: %zu blocks, %ld bytes\n", distinct.size(), figure(0) - before);
  for (void *each : distinct) {
    give_back(each, 4096, 0, nullptr);
  }
  std::printf("freed: %ld bytes\n", figure(0) - before);
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
  if (each == 0) {
    holds();
    std::printf("a block of two threads: %d\n", shares(std::atoi(arguments[3]), 3000));
    std::printf("at the end, live %ld\n", figure(0));
    return 0;
  }
  std::printf("main thread: %.0f ns a pair\n", pairs(each));
  std::vector<std::thread> threads;
  for (int i = std::atoi(arguments[3]); i > 0; i--) {
    threads.emplace_back([each] { std::printf("other thread: %.0f ns a pair\n", pairs(each)); });
  }
  for (std::thread &thread : threads) {
    thread.join();
  }
  takes_many();
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
