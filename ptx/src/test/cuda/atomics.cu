// Atomic operations, locks, and blocks that wait for each other.
#define KERNEL(name) extern "C" __global__ void name(const int* in, int* out, int n)
#define ELEMENT int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return; int a = in[i]

KERNEL(sumAll) { ELEMENT; atomicAdd(out, a); atomicAdd((unsigned long long*) (out + 2), (unsigned long long) (unsigned) a); }
KERNEL(extremesOfAll) { ELEMENT; atomicMin(out, a); atomicMax(out + 1, a); atomicAnd(out + 2, a | 0xff); atomicOr(out + 3, a & 0xff00); atomicXor(out + 4, a); }
KERNEL(tickets) { ELEMENT; int t = atomicAdd(out, 1); out[1 + t] = 1; (void) a; }
KERNEL(incrementDecrement) { ELEMENT; atomicInc((unsigned*) out, 10); atomicDec((unsigned*) out + 1, 100); (void) a; }
KERNEL(floatMaximum) { ELEMENT; float f = (a >> 8) / 1024.0f; int old = out[0]; while (__int_as_float(old) < f) { int seen = atomicCAS(out, old, __float_as_int(f)); if (seen == old) break; old = seen; } }
KERNEL(exchange) { ELEMENT; if (i == 0) out[1] = atomicExch(out, a); }
__device__ unsigned arrived;
KERNEL(lastBlock) { __shared__ int s[128]; __shared__ bool last; int t = threadIdx.x, i = blockIdx.x * blockDim.x + t; s[t] = in[i]; __syncthreads(); for (int d = 64; d > 0; d /= 2) { if (t < d) s[t] += s[t + d]; __syncthreads(); } if (t == 0) { out[1 + blockIdx.x] = s[0]; __threadfence(); last = atomicInc(&arrived, gridDim.x - 1) == gridDim.x - 1; } __syncthreads(); if (last && t == 0) { int r = 0; for (int k = 0; k < gridDim.x; k++) r += ((volatile int*) out)[1 + k]; out[0] = r; } }
__device__ int lock;
KERNEL(spinLock) { ELEMENT; bool done = false; while (!done) { if (atomicCAS(&lock, 0, 1) == 0) { __threadfence(); ((volatile int*) out)[0] = ((volatile int*) out)[0] + (a & 0xff); __threadfence(); atomicExch(&lock, 0); done = true; } } }
KERNEL(blocksWait) { int t = threadIdx.x; volatile int* flag = out + 64; if (t == 0) { if (blockIdx.x + 1 < gridDim.x) while (flag[blockIdx.x + 1] == 0) { } __threadfence(); out[blockIdx.x] = (blockIdx.x + 1 < gridDim.x ? ((volatile int*) out)[blockIdx.x + 1] : 0) + in[blockIdx.x]; __threadfence(); flag[blockIdx.x] = 1; } }
KERNEL(histogram) { ELEMENT; atomicAdd(&out[(unsigned) a >> 26], 1); }
