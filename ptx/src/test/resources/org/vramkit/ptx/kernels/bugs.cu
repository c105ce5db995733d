// Planted bugs, each with a correct twin: the file is compiled with BAD=1 and with BAD=0. The comment
// "BUG kind" marks the lines of which a finding of that kind must name one. A block has 64 threads, a
// grid two blocks; in and out have 128 words.
#define KERNEL(name) extern "C" __global__ void name(const int* in, int* out, int n)
#define THREAD int t = threadIdx.x; int g = blockIdx.x * blockDim.x + t
__constant__ int table[16] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3};
__device__ int flags[4];
__device__ unsigned arrived;

KERNEL(globalPastEnd) { THREAD;
  if (g + BAD < n) out[g] = 1;
  int r = in[g + BAD]; // BUG OUT_OF_BOUNDS
  out[g] = r; }
KERNEL(globalBeforeStart) { THREAD;
  int r = in[g > 0 || BAD ? g - 1 : 0]; // BUG OUT_OF_BOUNDS
  out[g] = r; }
KERNEL(globalStore) { THREAD;
  out[g * (1 + BAD)] = in[g]; // BUG OUT_OF_BOUNDS
}
KERNEL(sharedPastEnd) { __shared__ int s[64]; THREAD; s[t] = in[g]; __syncthreads();
  int r = s[t + 1 < 64 || BAD ? t + 1 : t]; // BUG OUT_OF_BOUNDS
  out[g] = r; }
KERNEL(sharedBeforeStart) { __shared__ int s[64]; THREAD;
  s[BAD ? t - 1 : t] = in[g]; // BUG OUT_OF_BOUNDS
  __syncthreads(); if (t < 63) out[g] = s[t]; }
KERNEL(dynamicPastEnd) { extern __shared__ int d[]; THREAD; d[t] = in[g]; __syncthreads();
  out[g] = d[63 - t + 1 * BAD]; // BUG OUT_OF_BOUNDS
}
KERNEL(constantPastEnd) { THREAD;
  int r = table[BAD ? t & 31 : t & 15]; // BUG OUT_OF_BOUNDS
  out[g] = r; }
KERNEL(localPastEnd) { THREAD; int v[8]; for (int k = 0; k < 8; k++) v[k] = in[g] >> k;
  int r = v[in[g] & (BAD ? 63 : 7)]; // BUG OUT_OF_BOUNDS
  out[g] = r; }
KERNEL(heapPastEnd) { THREAD; int* p = (int*) malloc(16); if (p == 0) return;
  p[3 + BAD] = in[g]; // BUG OUT_OF_BOUNDS
  out[g] = p[3]; free(p); }
KERNEL(misalignedGlobal) { THREAD;
  long long r = *(const long long*) (in + (g & ~1) + BAD * (g < 100)); // BUG MISALIGNED
  out[g] = (int) r; }
KERNEL(misalignedShared) { __shared__ __align__(16) char b[256]; THREAD; ((int*) b)[t] = in[g]; __syncthreads();
  out[g] = *(int*) (b + 4 * (t & 31) + 2 * BAD); // BUG MISALIGNED
}
KERNEL(sharedUnwritten) { __shared__ int s[64]; THREAD; if (t < (BAD ? 32 : 64)) s[t] = in[g]; __syncthreads();
  int r = s[63 - t]; // BUG UNWRITTEN
  out[g] = r; }
KERNEL(haloUnwritten) { __shared__ int s[66]; THREAD; s[t + 1] = in[g]; if (t == 0 && !BAD) { s[0] = 0; s[65] = 0; } __syncthreads();
  int r = s[t] + s[t + 2]; // BUG UNWRITTEN
  out[g] = r; }
KERNEL(binsUnwritten) { __shared__ int bins[16]; THREAD; if (t < 16 && !BAD) bins[t] = 0; __syncthreads();
  atomicAdd(&bins[in[g] & 15], 1); // BUG UNWRITTEN
  __syncthreads(); if (t < 16) atomicAdd(&out[t], bins[t]); }
KERNEL(localUnwritten) { THREAD; int v[8]; for (int k = 0; k < 8 - BAD; k++) v[in[g] + k & 7] = k;
  int r = v[in[g] - 1 & 7]; // BUG UNWRITTEN
  out[g] = r; }
KERNEL(missingBarrier) { __shared__ int s[64]; THREAD;
  s[t] = in[g]; // BUG RACE
  if (!BAD) __syncthreads();
  out[g] = s[63 - t]; // BUG RACE
}
KERNEL(missingSecondBarrier) { __shared__ int s[64]; THREAD; s[t] = in[g]; __syncthreads(); for (int d = 1; d < 64; d *= 2) {
  int v = t >= d ? s[t - d] : 0; // BUG RACE
  if (!BAD) __syncthreads();
  s[t] += v; // BUG RACE
  __syncthreads(); } out[g] = s[t]; }
KERNEL(missingReductionBarrier) { __shared__ int s[64]; THREAD; s[t] = in[g]; if (!BAD) __syncthreads();
  if (t < 32) s[t] += s[t + 32]; // BUG RACE
  __syncthreads(); out[g] = s[t & 31]; }
KERNEL(sameElement) { THREAD;
  out[BAD ? g / 2 : g] = in[g]; // BUG RACE
}
KERNEL(blocksNeighbour) { THREAD;
  out[g] = in[g]; // BUG RACE
  __syncthreads();
  int r = out[BAD ? (g + 64) % 128 : g ^ 1]; // BUG RACE
  if (r == 12345) out[0] = r; }
KERNEL(globalWithoutBarrier) { THREAD;
  out[g] = in[g]; // BUG RACE
  if (!BAD) __syncthreads();
  int r = out[blockIdx.x * 64 + 63 - t]; // BUG RACE
  if (r == 12345) out[g] = r; }
KERNEL(flagWithoutFence) { THREAD; volatile int* flag = flags; if (t != 0) return;
  if (blockIdx.x == 0) {
    out[5] = in[0]; // BUG RACE
    if (!BAD) __threadfence();
    flag[0] = 1; } else { while (flag[0] == 0) { } __threadfence();
    out[6] = out[5] + 1; // BUG RACE
  } }
KERNEL(lastBlockWithoutFence) { THREAD; if (t != 0) return;
  out[blockIdx.x] = in[g]; // BUG RACE
  if (!BAD) __threadfence();
  if (atomicInc(&arrived, 1) == 1) out[9] = out[0] + out[1]; // BUG RACE
}
KERNEL(sumReadEarly) { __shared__ int sum; THREAD; if (t == 0) sum = 0; __syncthreads();
  atomicAdd(&sum, in[g]); // BUG RACE
  if (!BAD) __syncthreads();
  out[g] = sum; // BUG RACE
}
KERNEL(counterReset) { __shared__ int c; THREAD;
  if (t == 0) c = 0; // BUG RACE
  if (!BAD) __syncthreads();
  atomicAdd(&c, 1); // BUG RACE
  __syncthreads(); out[g] = c; }
KERNEL(divergentBarrier) { __shared__ int s[64]; THREAD; s[t] = in[g];
  if (!BAD || t < 48)
    __syncthreads(); // BUG BARRIER
  out[g] = s[t]; }
KERNEL(barrierInLoop) { __shared__ int s[64]; THREAD; s[t] = in[g]; for (int k = 0; k < (BAD ? 1 + t / 32 : 2); k++)
    __syncthreads(); // BUG BARRIER
  out[g] = s[t]; }
KERNEL(returnBeforeBarrier) { __shared__ int s[64]; THREAD; s[t] = in[g]; if (BAD && t >= 40) return;
  __syncthreads(); // BUG BARRIER
  out[g] = s[t]; }
KERNEL(barrierCount) { __shared__ int s[64]; THREAD; s[t] = in[g];
  if (t < 32 || !BAD)
    asm volatile("bar.sync 1, 64;" ::: "memory"); // BUG BARRIER
  __syncthreads();
  out[g] = s[t]; }
KERNEL(maskOfAbsentLanes) { THREAD; int v = in[g]; if (t % 32 < 16)
    v += __shfl_down_sync(BAD ? 0xffffffffu : 0xffffu, v, 8, 16); // BUG WARP_MASK
  __syncthreads(); out[g] = v; }
KERNEL(maskWithoutOwnLane) { THREAD; int v = in[g];
  unsigned m = __ballot_sync(BAD ? 0x0fffffffu : 0xffffffffu, v & 1); // BUG WARP_MASK
  out[g] = m; }
KERNEL(valueOfAbsentLane) { THREAD; int v = in[g]; if (t % 32 < 20)
    v = __shfl_sync(0xfffffu, v, BAD ? 25 : 5); // BUG WARP_MASK
  out[g] = v; }
KERNEL(lockstep) { __shared__ volatile int s[96]; THREAD; s[t] = in[g]; if (t < 32) s[64 + t] = 0; __syncthreads(); if (t < 32) { int v = s[t]; for (int d = 16; d > 0; d /= 2) {
  v += s[t + d]; // BUG WARP_SYNCHRONOUS
  if (!BAD) __syncwarp();
  s[t] = v; // BUG WARP_SYNCHRONOUS
  if (!BAD) __syncwarp();
  } if (t == 0) out[blockIdx.x] = v; } }
KERNEL(warpWithoutSync) { __shared__ int s[64]; THREAD;
  s[t] = in[g]; // BUG WARP_SYNCHRONOUS
  if (!BAD) __syncwarp();
  out[g] = s[t ^ 1]; // BUG WARP_SYNCHRONOUS
}
