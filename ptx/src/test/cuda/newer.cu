// What came with sm_80 and sm_90: barriers in memory, asynchronous copies, wider atomics, groups of warps.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_awbarrier_primitives.h>
#include <cuda_pipeline_primitives.h>
namespace cg = cooperative_groups;
#define KERNEL(name) extern "C" __global__ void name(const int* in, int* out, int n)
#define THREAD int t = threadIdx.x; int g = blockIdx.x * blockDim.x + t
#define ALL 0xffffffffu
struct alignas(16) Pair { long long a, b; };

KERNEL(barrierPhases) { __shared__ __mbarrier_t bar; __shared__ int s[2][64]; THREAD; if (t == 0) __mbarrier_init(&bar, 64); __syncthreads(); int v = in[g]; for (int i = 0; i < 5; i++) { s[i & 1][t] = v; __mbarrier_token_t token = __mbarrier_arrive(&bar); while (!__mbarrier_test_wait(&bar, token)) { } v += s[i & 1][(t + 17) & 63] * (i + 1); } __syncthreads(); if (t == 0) __mbarrier_inval(&bar); out[g] = v; }
KERNEL(barrierDrops) { __shared__ __mbarrier_t bar; __shared__ int s[64]; THREAD; if (t == 0) __mbarrier_init(&bar, 64); __syncthreads(); int v = in[g]; s[t] = v; if (t < 40) { __mbarrier_arrive_and_drop(&bar); } else { __mbarrier_token_t token = __mbarrier_arrive(&bar); while (!__mbarrier_test_wait(&bar, token)) { } v += s[t - 40]; token = __mbarrier_arrive(&bar); while (!__mbarrier_test_wait(&bar, token)) { } } out[g] = v; }
KERNEL(barrierParity) { __shared__ __mbarrier_t bar; __shared__ int s[32]; THREAD; if (t == 0) __mbarrier_init(&bar, 32); __syncthreads(); if (t < 32) { s[t] = in[g]; __mbarrier_arrive(&bar); out[g] = t; } else { while (!__mbarrier_try_wait_parity(&bar, false, 100)) { } out[g] = s[63 - t]; } }
KERNEL(barrierOfCopies) { __shared__ __mbarrier_t bar; __shared__ int s[64]; THREAD; if (t == 0) __mbarrier_init(&bar, 64); __syncthreads(); __pipeline_memcpy_async(&s[t], &in[g], 4); __pipeline_arrive_on(&bar); __mbarrier_token_t token = __mbarrier_arrive(&bar); while (!__mbarrier_test_wait(&bar, token)) { } out[g] = s[63 - t]; }
KERNEL(bulkCopy) { __shared__ __align__(16) int s[64]; __shared__ __mbarrier_t bar; THREAD; unsigned to = __cvta_generic_to_shared(s), b = __cvta_generic_to_shared(&bar); if (t == 0) { __mbarrier_init(&bar, 1); asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 256;" :: "r"(b) : "memory"); asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" :: "r"(to), "l"(in + blockIdx.x * 64), "r"(256), "r"(b) : "memory"); } __syncthreads(); while (!__mbarrier_try_wait_parity(&bar, false, 100)) { } int v = s[63 - t] * 3; __syncthreads(); s[t] = v; asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); __syncthreads(); if (t == 0) { asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" :: "l"(out + blockIdx.x * 64), "r"(to), "r"(256) : "memory"); asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::: "memory"); } }
KERNEL(tileCopy) { __shared__ __align__(16) int s[2][32]; THREAD; int piece = min(t % 32, 7); __pipeline_memcpy_async(&s[t / 32][piece * 4], &in[(g / 32) * 32 + piece * 4], 16); __pipeline_commit(); __pipeline_wait_prior(0); __syncwarp(); out[g] = s[t / 32][31 - t % 32]; }
KERNEL(swapPairs) { THREAD; if (g < 1000) { Pair seen{0, 0}, was; do { was = seen; seen = atomicCAS((Pair*) out, was, Pair{was.a + in[g], was.b ^ in[g]}); } while (seen.a != was.a || seen.b != was.b); Pair old = atomicExch((Pair*) (out + 4), Pair{5, -6}); if (old.a != 0 && old.a != 5) out[8] = 1; } }
KERNEL(floatVectors) { THREAD; float2 old = atomicAdd((float2*) out, make_float2(in[g] & 7, 1)); if (old.y > 127) out[2] = 1; atomicAdd((float4*) (out + 4), make_float4(1, in[g] & 3, 2, 3)); }
KERNEL(groupOfWarps) { THREAD; auto big = cg::tiled_partition<64>(cg::this_thread_block()); out[g] = cg::reduce(big, in[g], cg::plus<int>()) + big.shfl(in[g], 40); }
KERNEL(reduceWords) { THREAD; unsigned u = in[g]; unsigned odd = __ballot_sync(ALL, u & 1); int v = __reduce_add_sync(ALL, u) ^ __reduce_min_sync(ALL, in[g]) ^ __reduce_max_sync(ALL, u); out[g] = v + (u & 1 ? __reduce_xor_sync(odd, u) : __reduce_max_sync(~odd, in[g])); }
KERNEL(partsOfWarps) { __shared__ int s[2]; THREAD; if (t % 32 == 31) { s[t / 32] = in[g]; if (n == 0) return; } __syncthreads(); out[g] = s[t / 32]; }
KERNEL(threeOfFour) { __shared__ __align__(16) int s[4]; THREAD; if (t < 3) s[t] = in[g]; __syncthreads(); out[g] = s[0] + s[1] * 3 + s[2] * 5; }
KERNEL(contractedSums) { THREAD; float a = in[g], b = in[(g + 1) % n], c = in[(g + 2) % n]; float m = a * b, x = m + c, y = c - m; int h = __float_as_int(x) * 31 + __float_as_int(y); h = h * 31 + __float_as_int(b * b - c * c); double d = in[g] * 0.7, e = in[(g + 1) % n] * 0.3; out[g] = h * 31 + (int) __double_as_longlong(e - d * d); }
