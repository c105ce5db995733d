// Blocks: shared memory and barriers. n is the number of threads of a block.
#define KERNEL(name) extern "C" __global__ void name(const int* in, int* out, int n)
#define THREAD int t = threadIdx.x; int g = blockIdx.x * blockDim.x + t

KERNEL(blockSum) { __shared__ int s[256]; THREAD; s[t] = in[g]; __syncthreads(); for (int d = blockDim.x / 2; d > 0; d >>= 1) { if (t < d) s[t] += s[t + d]; __syncthreads(); } if (t == 0) out[blockIdx.x] = s[0]; }
KERNEL(blockScan) { __shared__ int s[2][256]; THREAD; int p = 0; s[0][t] = in[g]; __syncthreads(); for (int d = 1; d < n; d *= 2) { s[1 - p][t] = s[p][t] + (t >= d ? s[p][t - d] : 0); p = 1 - p; __syncthreads(); } out[g] = s[p][t]; }
KERNEL(transpose) { __shared__ int s[16][17]; int x = threadIdx.x, y = threadIdx.y; s[y][x] = in[blockIdx.x * 256 + y * 16 + x]; __syncthreads(); out[blockIdx.x * 256 + y * 16 + x] = s[x][y]; }
KERNEL(matrixProduct) { __shared__ int a[8][8], b[8][8]; int x = threadIdx.x, y = threadIdx.y, r = blockIdx.y * 8 + y, c = blockIdx.x * 8 + x, sum = 0; for (int k = 0; k < 32; k += 8) { a[y][x] = in[r * 32 + k + x]; b[y][x] = in[1024 + (k + y) * 32 + c]; __syncthreads(); for (int j = 0; j < 8; j++) sum += a[y][j] * b[j][x]; __syncthreads(); } out[r * 32 + c] = sum; }
KERNEL(sharedHistogram) { __shared__ int bins[64]; THREAD; if (t < 64) bins[t] = 0; __syncthreads(); atomicAdd(&bins[in[g] & 63], 1); __syncthreads(); if (t < 64) atomicAdd(&out[t], bins[t]); }
KERNEL(bitonicSort) { __shared__ int s[128]; THREAD; s[t] = in[g]; __syncthreads(); for (int k = 2; k <= 128; k *= 2) for (int j = k / 2; j > 0; j /= 2) { int o = t ^ j; if (o > t) { bool up = (t & k) == 0; int a = s[t], b = s[o]; if ((a > b) == up) { s[t] = b; s[o] = a; } } __syncthreads(); } out[g] = s[t]; }
KERNEL(dynamicReverse) { extern __shared__ int d[]; THREAD; d[t] = in[g]; __syncthreads(); out[g] = d[n - 1 - t]; }
KERNEL(stencil) { __shared__ int s[130]; THREAD; s[t + 1] = in[g]; if (t == 0) { s[0] = 0; s[129] = 0; } __syncthreads(); out[g] = s[t] - 2 * s[t + 1] + s[t + 2]; }
KERNEL(syncCounts) { THREAD; int odd = in[g] & 1; out[g] = __syncthreads_count(odd) + 1000 * __syncthreads_or(in[g] == in[0]) + 5000 * __syncthreads_and(t < 200); }
KERNEL(namedBarriers) { __shared__ int s[128]; THREAD; int half = t / 64; s[t] = in[g]; asm volatile("bar.sync %0, 64;" :: "r"(half + 1) : "memory"); int v = s[half * 64 + 63 - t % 64]; __syncthreads(); out[g] = v; }
KERNEL(producerConsumer) { __shared__ int s[64]; THREAD; if (t < 64) { s[t] = in[g] * 3; asm volatile("bar.arrive 1, 128;" ::: "memory"); } else { asm volatile("bar.sync 1, 128;" ::: "memory"); out[blockIdx.x * 64 + t - 64] = s[127 - t]; } }
KERNEL(sharedBytes) { __shared__ unsigned char b[256]; __shared__ short h[128]; THREAD; b[t] = in[g]; if (t < 128) h[t] = in[g] >> 4; __syncthreads(); out[g] = b[255 - t] + h[(t * 3) & 127]; }
KERNEL(pointersToShared) { __shared__ int a[128]; __shared__ int b[128]; THREAD; int* p = t & 1 ? a : b; p[t & 127] = in[g]; __syncthreads(); const int* q = t & 2 ? in : (t & 1 ? a : b); out[g] = t & 2 ? q[g] : q[t & 127]; }
