// Warps: shuffles, votes, matches, groups.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
#define KERNEL(name) extern "C" __global__ void name(const int* in, int* out, int n)
#define THREAD int g = blockIdx.x * blockDim.x + threadIdx.x; int lane = threadIdx.x & 31; int v = in[g]; (void) lane
#define ALL 0xffffffffu

KERNEL(shuffleSum) { THREAD; for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(ALL, v, d); if (lane == 0) out[g / 32] = v; }
KERNEL(butterfly) { THREAD; for (int d = 1; d < 32; d *= 2) v = max(v, __shfl_xor_sync(ALL, v, d)); out[g] = v; }
KERNEL(warpScan) { THREAD; for (int d = 1; d < 32; d *= 2) { int o = __shfl_up_sync(ALL, v, d); if (lane >= d) v += o; } out[g] = v; }
KERNEL(broadcast) { THREAD; out[g] = __shfl_sync(ALL, v, 5) + __shfl_sync(ALL, v, lane & 3, 8); }
KERNEL(shuffle64) { THREAD; long long w = (long long) v * 1000003; long long o = __shfl_xor_sync(ALL, w, 9); out[g] = (int) (o >> 11); }
KERNEL(ballot) { THREAD; unsigned m = __ballot_sync(ALL, v & 1); out[g] = v & 1 ? __popc(m & ((1u << lane) - 1)) : -__popc(m); }
KERNEL(anyAll) { THREAD; out[g] = __any_sync(ALL, (v & 31) == lane) + 2 * __all_sync(ALL, v != 12345); }
KERNEL(matchAny) { THREAD; out[g] = __match_any_sync(ALL, v & 7); }
KERNEL(halfWarps) { THREAD; unsigned m = lane < 16 ? 0xffffu : 0xffff0000u; if (lane < 16) { v += __shfl_xor_sync(m, v, 1); } else { v -= __shfl_xor_sync(m, v, 2); } out[g] = v; }
KERNEL(tiles) { THREAD; auto tile = cg::tiled_partition<8>(cg::this_thread_block()); out[g] = cg::reduce(tile, v, cg::plus<int>()) + tile.thread_rank(); }
KERNEL(coalesced) { THREAD; int r = 0; if (v & 1) { auto c = cg::coalesced_threads(); r = c.size() * 100 + c.thread_rank(); } out[g] = r; }
KERNEL(divergedShuffle) { THREAD; int r = v; if (lane & 1) r = v * 3; else r = v - 1; __syncwarp(); out[g] = __shfl_sync(ALL, r, lane ^ 1); }
KERNEL(laneSpins) { __shared__ volatile int flag[8]; THREAD; int w = threadIdx.x / 32; if (lane == 0) flag[w] = 0; __syncwarp(); if (lane == 7) { while (flag[w] == 0) { } v += 1; } else if (lane == 3) { __threadfence_block(); flag[w] = 1; v += 2; } out[g] = v; }
