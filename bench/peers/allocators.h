// The allocators that Vramkit is compared with: PyTorch's caching allocator and the driver's pool. PyTorch
// reads PYTORCH_CUDA_ALLOC_CONF; with expandable_segments:True, its name here is pytorch-expandable.
#pragma once

#include "workload.h"

#include <cstdlib>
#include <cstring>
#include <memory>

#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAFunctions.h>

namespace torch_cache = c10::cuda::CUDACachingAllocator;

struct PyTorch final : Allocator {
  PyTorch() { torch_cache::init(c10::cuda::device_count()); }

  const char* name() const override {
    const char* conf = std::getenv("PYTORCH_CUDA_ALLOC_CONF");
    return conf != nullptr && std::strstr(conf, "expandable_segments:True") != nullptr ? "pytorch-expandable"
                                                                                      : "pytorch";
  }
  void* allocate(size_t bytes, cudaStream_t stream) override {
    return torch_cache::raw_alloc_with_stream(bytes, stream);
  }
  void free(void* block, cudaStream_t) override { torch_cache::raw_delete(block); }
  size_t reservedPeak() override { return torch_cache::getDeviceStats(0).reserved_bytes[0].peak; }
  void reset() override {
    torch_cache::emptyCache();
    torch_cache::resetPeakStats(0);
  }
};

struct DriverPool final : Allocator {
  DriverPool() {
    check(cudaDeviceGetDefaultMemPool(&pool, 0), "cudaDeviceGetDefaultMemPool");
    uint64_t all = UINT64_MAX;
    check(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &all), "cudaMemPoolSetAttribute");
  }

  const char* name() const override { return "driver-pool"; }
  void* allocate(size_t bytes, cudaStream_t stream) override {
    void* block;
    check(cudaMallocAsync(&block, bytes, stream), "cudaMallocAsync");
    return block;
  }
  void free(void* block, cudaStream_t stream) override { check(cudaFreeAsync(block, stream), "cudaFreeAsync"); }
  size_t reservedPeak() override {
    uint64_t peak;
    check(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemHigh, &peak), "cudaMemPoolGetAttribute");
    return peak;
  }
  void reset() override {
    check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    check(cudaMemPoolTrimTo(pool, 0), "cudaMemPoolTrimTo");
    uint64_t zero = 0;
    check(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReservedMemHigh, &zero), "cudaMemPoolSetAttribute");
  }

  cudaMemPool_t pool{};
};

inline std::unique_ptr<Allocator> openAllocator(const char* name) {
  check(cudaSetDevice(0), "cudaSetDevice");
  check(cudaFree(nullptr), "cudaFree");
  if (std::strcmp(name, "pytorch") == 0) {
    return std::make_unique<PyTorch>();
  }
  if (std::strcmp(name, "driver-pool") == 0) {
    return std::make_unique<DriverPool>();
  }
  throw std::runtime_error(std::string("no allocator ") + name);
}

// NAME=FILE.
struct TraceArgument {
  explicit TraceArgument(const std::string& argument) {
    size_t equals = argument.find('=');
    if (equals == std::string::npos) {
      throw std::runtime_error("a trace is NAME=FILE, not " + argument);
    }
    name = argument.substr(0, equals);
    file = argument.substr(equals + 1);
  }

  std::string name;
  std::string file;
};
