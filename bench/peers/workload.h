// The workloads for all allocators. HitBenchmark, ChurnBenchmark and vramkit replay run the same ones in
// Java.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include <cuda_runtime.h>

inline void check(cudaError_t status, const char* call) {
  if (status != cudaSuccess) {
    throw std::runtime_error(std::string(call) + ": " + cudaGetErrorString(status));
  }
}

struct Allocator {
  virtual ~Allocator() = default;
  virtual const char* name() const = 0;
  virtual void* allocate(size_t bytes, cudaStream_t stream) = 0;
  virtual void free(void* block, cudaStream_t stream) = 0;
  virtual size_t reservedPeak() = 0;
  // Resets the peak and returns cached memory to the driver.
  virtual void reset() = 0;
};

// Streams are never destroyed: PyTorch's expandable segments keep their stream and synchronize it when
// memory is returned.
inline cudaStream_t newStream() {
  cudaStream_t stream;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
  return stream;
}

inline double secondsSince(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

inline void print(const Allocator& allocator, const char* workload, const std::string& parameters,
                  double nanos, double millionPairs) {
  std::printf("{\"allocator\":\"%s\",\"workload\":\"%s\",%s,\"nanos\":%.1f,\"millionPairsPerSecond\":%.4f}\n",
              allocator.name(), workload, parameters.c_str(), nanos, millionPairs);
  std::fflush(stdout);
}

// Allocates and frees a block of one size repeatedly.
inline void hit(Allocator& allocator, size_t bytes, double seconds) {
  constexpr int kBatch = 1000;
  cudaStream_t stream = newStream();
  auto pairs = [&](double during) {
    long done = 0;
    auto begin = std::chrono::steady_clock::now();
    while (secondsSince(begin) < during) {
      for (int i = 0; i < kBatch; i++) {
        allocator.free(allocator.allocate(bytes, stream), stream);
      }
      done += kBatch;
    }
    return done / secondsSince(begin);
  };
  pairs(seconds / 2);
  double rate = pairs(seconds);
  print(allocator, "hit", "\"bytes\":" + std::to_string(bytes), 1e9 / rate, rate / 1e6);
  check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
}

// 1000 live blocks for each thread; a random one is replaced by one of 2^b + uniform(2^b) bytes,
// b uniform from 9 to 22.
inline void churn(Allocator& allocator, int threads, bool shared, double seconds) {
  constexpr int kLive = 1000;
  constexpr int kSteps = 1 << 16;
  cudaStream_t common = newStream();
  std::atomic<int> ready{0};
  std::atomic<int> phase{0};  // 0 warm up, 1 count, 2 stop
  std::vector<long> counted(threads);
  std::vector<std::thread> workers;
  for (int t = 0; t < threads; t++) {
    workers.emplace_back([&, t] {
      check(cudaSetDevice(0), "cudaSetDevice");
      cudaStream_t stream = shared ? common : newStream();
      std::mt19937_64 random(t + 1);
      std::vector<int> slots(kSteps);
      std::vector<size_t> sizes(kSteps);
      for (int i = 0; i < kSteps; i++) {
        slots[i] = static_cast<int>(random() % kLive);
        size_t base = size_t{1} << (9 + random() % 14);
        sizes[i] = base + random() % base;
      }
      std::vector<void*> live(kLive);
      for (int i = 0; i < kLive; i++) {
        live[i] = allocator.allocate(sizes[i], stream);
      }
      ready++;
      long done = 0;
      for (int step = 0; phase != 2; step = (step + 1) & (kSteps - 1)) {
        int slot = slots[step];
        allocator.free(live[slot], stream);
        live[slot] = allocator.allocate(sizes[step], stream);
        done += phase.load(std::memory_order_relaxed) == 1;
      }
      counted[t] = done;
      for (void* each : live) {
        allocator.free(each, stream);
      }
      check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
    });
  }
  while (ready < threads) {
    std::this_thread::yield();
  }
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds / 2));
  phase = 1;
  auto begin = std::chrono::steady_clock::now();
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
  double took = secondsSince(begin);
  phase = 2;
  long pairs = 0;
  for (int t = 0; t < threads; t++) {
    workers[t].join();
    pairs += counted[t];
  }
  print(allocator, "churn",
        "\"threads\":" + std::to_string(threads) + ",\"streams\":\"" + (shared ? "shared" : "own") + "\"",
        took * 1e9 * threads / pairs, pairs / took / 1e6);
}

// A recorded program: rows of action,addr,size,stream,time_us. A free counts when it was completed.
// Times are nanoseconds since the first event and never go back.
struct Event {
  bool allocates;
  int block;
  size_t bytes;
  int stream;
  int64_t nanos;
};

struct Trace {
  std::vector<Event> events;
  std::vector<int> streamOf;  // by block
  int blocks = 0;
  int streams = 0;
  size_t requestedPeak = 0;
};

inline Trace readTrace(const std::string& file) {
  std::ifstream in(file);
  if (!in) {
    throw std::runtime_error("cannot read " + file);
  }
  Trace trace;
  std::unordered_map<std::string, std::array<size_t, 3>> live;  // address -> block, bytes, stream
  size_t requested = 0;
  int64_t first = -1;
  int64_t last = 0;
  std::string line;
  std::getline(in, line);
  while (std::getline(in, line)) {
    std::istringstream row(line);
    std::string action, address, size, stream, micros;
    std::getline(row, action, ',');
    std::getline(row, address, ',');
    std::getline(row, size, ',');
    std::getline(row, stream, ',');
    std::getline(row, micros, ',');
    if (action != "alloc" && action != "free_completed") {
      continue;
    }
    int64_t time = std::stoll(micros) * 1000;
    first = first < 0 ? time : first;
    last = std::max(last, time - first);
    if (action == "alloc") {
      size_t bytes = std::stoull(size);
      int on = std::stoi(stream);
      trace.streams = std::max(trace.streams, on + 1);
      trace.events.push_back({true, trace.blocks, bytes, on, last});
      trace.streamOf.push_back(on);
      live[address] = {static_cast<size_t>(trace.blocks++), bytes, static_cast<size_t>(on)};
      requested += bytes;
      trace.requestedPeak = std::max(trace.requestedPeak, requested);
    } else {
      auto found = live.find(address);
      if (found != live.end()) {
        auto [block, bytes, on] = found->second;
        trace.events.push_back({false, static_cast<int>(block), bytes, static_cast<int>(on), last});
        requested -= bytes;
        live.erase(found);
      }
    }
  }
  return trace;
}

// Replays a program and writes to every block on its stream, so that streams are busy. Reserved memory is
// taken from the first pass, and the time of an event from the last.
inline void replay(Allocator& allocator, const std::string& name, const std::string& file, int passes) {
  Trace trace = readTrace(file);
  allocator.reset();
  std::vector<cudaStream_t> streams;
  for (int i = 0; i < trace.streams; i++) {
    streams.push_back(newStream());
  }
  std::vector<void*> blocks(trace.blocks);
  double inAllocator = 0;
  size_t reserved = 0;
  for (int pass = 0; pass < passes; pass++) {
    inAllocator = 0;
    for (const Event& event : trace.events) {
      auto begin = std::chrono::steady_clock::now();
      if (event.allocates) {
        blocks[event.block] = allocator.allocate(event.bytes, streams[event.stream]);
      } else {
        allocator.free(blocks[event.block], streams[event.stream]);
        blocks[event.block] = nullptr;
      }
      inAllocator += secondsSince(begin);
      if (event.allocates) {
        check(cudaMemsetAsync(blocks[event.block], 0, std::min<size_t>(event.bytes, 256), streams[event.stream]),
              "cudaMemsetAsync");
      }
    }
    for (size_t i = 0; i < blocks.size(); i++) {
      if (blocks[i] != nullptr) {
        allocator.free(blocks[i], streams[0]);
        blocks[i] = nullptr;
      }
    }
    check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    if (pass == 0) {
      reserved = allocator.reservedPeak();
    }
  }
  std::ostringstream parameters;
  parameters << "\"trace\":\"" << name << "\",\"reservedPeakBytes\":" << reserved << ",\"reservedRatio\":"
             << static_cast<double>(reserved) / trace.requestedPeak;
  double nanos = inAllocator * 1e9 / trace.events.size();
  print(allocator, "replay", parameters.str(), nanos, 0);
}
