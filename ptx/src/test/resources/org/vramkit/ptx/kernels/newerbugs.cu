// Planted bugs in what came with sm_80, marked as in bugs.cu.
#include <cooperative_groups.h>
#include <cuda_awbarrier_primitives.h>
#include <cuda_pipeline_primitives.h>
#define KERNEL(name) extern "C" __global__ void name(const int* in, int* out, int n)
#define THREAD int t = threadIdx.x; int g = blockIdx.x * blockDim.x + t

__device__ void store(int* s, int t, int v);

KERNEL(copyWithoutWait) { __shared__ int s[64]; THREAD; __pipeline_memcpy_async(&s[t], &in[g], 4); __pipeline_commit();
  if (!BAD) __pipeline_wait_prior(0);
  __syncthreads();
  out[g] = s[63 - t]; // BUG RACE
}
KERNEL(copyWithoutCommit) { __shared__ int s[64]; THREAD; __pipeline_memcpy_async(&s[t], &in[g], 4);
  if (!BAD) __pipeline_commit();
  __pipeline_wait_prior(0);
  out[g] = s[t]; // BUG RACE
}
KERNEL(waitForTooFew) { __shared__ int s[2][64]; THREAD; for (int k = 0; k < 2; k++) { __pipeline_memcpy_async(&s[k][t], &in[g ^ k], 4); __pipeline_commit(); }
  __pipeline_wait_prior(BAD);
  __syncthreads();
  out[g] = s[0][t] + s[1][63 - t]; // BUG RACE
}
KERNEL(waitOfSomeLanes) { __shared__ int s[64]; THREAD; __pipeline_memcpy_async(&s[t], &in[g], 4); __pipeline_commit();
  if (!BAD || t % 32 < 20) __pipeline_wait_prior(0);
  __syncwarp();
  out[g] = s[t ^ 1]; // BUG RACE
}
KERNEL(targetWrittenTooSoon) { __shared__ int s[64]; THREAD; __pipeline_memcpy_async(&s[t], &in[g], 4); __pipeline_commit();
  if (!BAD) __pipeline_wait_prior(0);
  s[t] = 0; // BUG RACE
  __pipeline_wait_prior(0); out[g] = s[t]; }
KERNEL(sourceWrittenTooSoon) { __shared__ int s[64]; THREAD; out[g] = t; __pipeline_memcpy_async(&s[t], &out[g], 4); __pipeline_commit();
  if (!BAD) __pipeline_wait_prior(0);
  out[g] = 7; // BUG RACE
  __pipeline_wait_prior(0); out[g] += s[t]; }
KERNEL(copyWithoutBarrier) { __shared__ int s[64]; THREAD;
  __pipeline_memcpy_async(&s[t], &in[g], 4); // BUG RACE
  __pipeline_commit(); __pipeline_wait_prior(0);
  if (!BAD) __syncthreads();
  out[g] = s[63 - t]; // BUG RACE
}
KERNEL(ringTooShort) { __shared__ int s[2][64]; THREAD; int sum = 0; __pipeline_memcpy_async(&s[0][t], &in[g], 4); __pipeline_commit(); for (int k = 0; k < 8; k++) { if (k < 7) __pipeline_memcpy_async(&s[(k + 1) & 1][t], &in[g ^ k], 4);
    __pipeline_commit(); __pipeline_wait_prior(BAD ? 2 : 1);
    sum += s[k & 1][t]; // BUG RACE
  } out[g] = sum; }
KERNEL(barrierNotAwaited) { __shared__ __mbarrier_t bar; __shared__ int s[64]; THREAD; if (t == 0) __mbarrier_init(&bar, 64); __syncthreads(); __pipeline_memcpy_async(&s[t], &in[g], 4); __pipeline_arrive_on(&bar); __mbarrier_token_t token = __mbarrier_arrive(&bar);
  if (!BAD) while (!__mbarrier_test_wait(&bar, token)) { }
  out[g] = s[t]; // BUG RACE
}
KERNEL(heapReadAfterFree) { THREAD; int* p = (int*) malloc(32); if (!p) return; p[1] = in[g]; if (BAD) free(p);
  out[g] = p[1]; // BUG OUT_OF_BOUNDS
  if (!BAD) free(p); }
KERNEL(heapFreedTwice) { THREAD; int* p = (int*) malloc(32); int* q = (int*) malloc(32); if (!p || !q) return; p[1] = in[g]; out[g] = p[1]; free(p);
  free(BAD ? p : q); // BUG OUT_OF_BOUNDS
}
KERNEL(barrierNotInitialized) { __shared__ __mbarrier_t bar; __shared__ int s[64]; THREAD; s[t] = in[g];
  if (t == 0) __mbarrier_init(&bar, 64); // BUG RACE
  if (!BAD) __syncthreads();
  __mbarrier_token_t token = __mbarrier_arrive(&bar); // BUG RACE
  while (!__mbarrier_test_wait(&bar, token)) { }
  out[g] = s[63 - t]; }
KERNEL(tileDiverged) { THREAD; auto tile = cooperative_groups::tiled_partition<16>(cooperative_groups::this_thread_block()); int v = in[g];
  if (!BAD || tile.thread_rank() < 8)
    v += tile.shfl_down(v, 4); // BUG WARP_MASK
  out[g] = v; }
KERNEL(arrivalsOfMany) { __shared__ __mbarrier_t bar; THREAD; if (t == 0) __mbarrier_init(&bar, BAD ? 100 : 192); __syncthreads(); unsigned b = __cvta_generic_to_shared(&bar);
  asm volatile("{ .reg .b64 state; mbarrier.arrive.shared.b64 state, [%0], 3; }" :: "r"(b) : "memory"); // BUG TRAP
  out[g] = t; }
KERNEL(arrivalBeforeBytes) { __shared__ __mbarrier_t bar; THREAD; if (t) return; __mbarrier_init(&bar, BAD ? 1 : 2); unsigned b = __cvta_generic_to_shared(&bar);
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 256;" :: "r"(b) : "memory");
  __mbarrier_arrive(&bar); // BUG TRAP
  out[g] = 1; }
KERNEL(ownFunction) { __shared__ int s[64]; THREAD; store(s, t, in[g]); if (!BAD) __syncthreads();
  out[g] = s[63 - t]; }
// Wherever it is inlined, its line is told.
__device__ void store(int* s, int t, int v) {
  s[t] = v; // BUG RACE
}
