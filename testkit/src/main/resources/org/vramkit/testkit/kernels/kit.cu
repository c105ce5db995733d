// The kernels of the backend kit. The script `compile` beside this file compiles them to PTX.

struct Pair {
  double first;
  int second;
};

__device__ int counter = 5;
__constant__ int factors[4] = {3, 5, 7, 11};

// Writes its position in the grid, x fastest.
extern "C" __global__ void positions(int* out) {
  int block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  int thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  int at = block * blockDim.x * blockDim.y * blockDim.z + thread;
  out[at] = at;
}

extern "C" __global__ void add(const float* x, const float* y, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    out[i] = x[i] + y[i];
  }
}

// Stores each argument at eight bytes of its own.
extern "C" __global__ void arguments(
    char a, short b, int c, long long d, float e, double f, bool g, Pair pair, double* out) {
  out[0] = a;
  out[1] = b;
  out[2] = c;
  out[3] = d;
  out[4] = e;
  out[5] = f;
  out[6] = g ? 1 : 0;
  out[7] = pair.first;
  out[8] = pair.second;
}

// Reverses the values of each block through dynamic shared memory.
extern "C" __global__ void reverse(int* values) {
  extern __shared__ int tile[];
  int* of_block = values + blockIdx.x * blockDim.x;
  tile[threadIdx.x] = of_block[threadIdx.x];
  __syncthreads();
  of_block[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}

// Sums the values of a block in static shared memory.
extern "C" __global__ void sum(const int* values, int* out) {
  __shared__ int partial[256];
  partial[threadIdx.x] = values[blockIdx.x * 256 + threadIdx.x];
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (threadIdx.x < half) {
      partial[threadIdx.x] += partial[threadIdx.x + half];
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    out[blockIdx.x] = partial[0];
  }
}

// Counts the threads of the grid, and multiplies by the constants.
extern "C" __global__ void count(int* out) {
  atomicAdd(&counter, 1);
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = i * factors[i % 4];
}

extern "C" __global__ void __launch_bounds__(128) bounded() {}
