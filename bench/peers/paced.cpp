// Replays recorded programs through an allocator of allocators.h at recorded pace and at full speed, as
// org.vramkit.bench.paced does, and prints one JSON object per line with the same names.
//
//   paced ALLOCATOR PASSES NAME=TRACE.csv...      ALLOCATOR: pytorch, driver-pool
#include "allocators.h"

#include <cmath>

using Clock = std::chrono::steady_clock;

inline int64_t nanosSince(Clock::time_point begin) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - begin).count();
}

// The times of all calls of one or several passes.
struct Calls {
  std::vector<int64_t> nanos;
  int64_t wallNanos = 0;

  int64_t percentile(const std::vector<int64_t>& sorted, double part) const {
    auto rank = static_cast<size_t>(std::ceil(part * sorted.size()));
    return sorted.empty() ? 0 : sorted[std::max<size_t>(1, rank) - 1];
  }

  // C++ has no garbage collection.
  std::string json(double reservedRatio) const {
    std::vector<int64_t> sorted = nanos;
    std::sort(sorted.begin(), sorted.end());
    int64_t sum = 0;
    for (int64_t each : sorted) {
      sum += each;
    }
    std::ostringstream text;
    text << "{\"events\":" << sorted.size() << ",\"millis\":" << sum / 1e6
         << ",\"nanosPerEvent\":" << (sorted.empty() ? 0.0 : static_cast<double>(sum) / sorted.size())
         << ",\"share\":" << (wallNanos == 0 ? 0.0 : static_cast<double>(sum) / wallNanos)
         << ",\"p50Nanos\":" << percentile(sorted, 0.5) << ",\"p99Nanos\":" << percentile(sorted, 0.99)
         << ",\"p999Nanos\":" << percentile(sorted, 0.999)
         << ",\"longestNanos\":" << (sorted.empty() ? 0 : sorted.back())
         << ",\"longestCollectedNanos\":0,\"wallMillis\":" << wallNanos / 1e6
         << ",\"reservedRatio\":" << reservedRatio << "}";
    return text.str();
  }
};

// Replays one pass and fills every block on its stream. Then frees the remaining blocks and waits for the
// device. Recorded times are multiplied by pace.
inline void play(Allocator& allocator, const Trace& trace, double pace, const std::vector<cudaStream_t>& streams,
                 std::vector<void*>& live, Calls& calls) {
  auto passBegin = Clock::now();
  for (const Event& event : trace.events) {
    auto due = static_cast<int64_t>(pace * event.nanos);
    while (nanosSince(passBegin) < due) {
      // Waits actively, so that the scheduler's wake-up latency does not matter.
    }
    cudaStream_t stream = streams[event.stream];
    if (event.allocates) {
      auto begin = Clock::now();
      void* block = allocator.allocate(event.bytes, stream);
      calls.nanos.push_back(nanosSince(begin));
      live[event.block] = block;
      check(cudaMemsetAsync(block, 0, event.bytes, stream), "cudaMemsetAsync");
    } else {
      auto begin = Clock::now();
      allocator.free(live[event.block], stream);
      calls.nanos.push_back(nanosSince(begin));
      live[event.block] = nullptr;
    }
  }
  calls.wallNanos += nanosSince(passBegin);
  for (size_t block = 0; block < live.size(); block++) {
    if (live[block] != nullptr) {
      allocator.free(live[block], streams[trace.streamOf[block]]);
      live[block] = nullptr;
    }
  }
  check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
}

// Replays passes through an empty allocator; prints figures of the first pass and of later ones.
inline void measure(Allocator& allocator, const std::string& name, const Trace& trace, const char* paceName,
                    double pace, int passes, const std::vector<cudaStream_t>& streams) {
  allocator.reset();
  std::vector<void*> live(trace.blocks);
  auto ratio = [&] { return static_cast<double>(allocator.reservedPeak()) / trace.requestedPeak; };
  Calls first;
  first.nanos.reserve(trace.events.size());
  play(allocator, trace, pace, streams, live, first);
  std::string figures = "\"first\":" + first.json(ratio());
  Calls later;
  later.nanos.reserve(trace.events.size() * (passes - 1));
  for (int pass = 1; pass < passes; pass++) {
    play(allocator, trace, pace, streams, live, later);
  }
  figures += ",\"later\":" + (passes > 1 ? later.json(ratio()) : std::string("null"));
  std::printf("{\"allocator\":\"%s\",\"jvm\":\"none\",\"trace\":\"%s\",\"pace\":\"%s\",\"recordedMillis\":%.3f,%s}\n",
              allocator.name(), name.c_str(), paceName, trace.events.back().nanos / 1e6, figures.c_str());
  std::fflush(stdout);
}

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fprintf(stderr, "usage: paced pytorch|driver-pool PASSES NAME=TRACE.csv...\n");
    return 2;
  }
  try {
    std::unique_ptr<Allocator> allocator = openAllocator(argv[1]);
    int passes = std::stoi(argv[2]);
    if (passes < 1) {
      throw std::runtime_error("PASSES must be at least 1");
    }
    for (int i = 3; i < argc; i++) {
      TraceArgument argument(argv[i]);
      Trace trace = readTrace(argument.file);
      std::vector<cudaStream_t> streams;
      for (int each = 0; each < trace.streams; each++) {
        streams.push_back(newStream());
      }
      // A pass for the one-time costs of the driver and the library.
      Calls warmUp;
      std::vector<void*> live(trace.blocks);
      play(*allocator, trace, 0, streams, live, warmUp);
      measure(*allocator, argument.name, trace, "recorded", 1, passes, streams);
      measure(*allocator, argument.name, trace, "full", 0, passes, streams);
      allocator->reset();
    }
  } catch (const std::exception& e) {
    std::fprintf(stderr, "paced: %s\n", e.what());
    return 1;
  }
  return 0;
}
