// Kernels whose speed on the simulator is measured.

extern "C" __global__ void saxpy(float *y, const float *x, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    y[i] = a * x[i] + y[i];
  }
}

extern "C" __global__ void vector_add(float *sums, const float *a, const float *b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    sums[i] = a[i] + b[i];
  }
}

// Multiplies two square matrices, whose side is a multiple of 16, through tiles in shared memory.
extern "C" __global__ void matmul(float *c, const float *a, const float *b, int side) {
  __shared__ float left[16][16];
  __shared__ float right[16][16];
  int row = blockIdx.y * 16 + threadIdx.y;
  int column = blockIdx.x * 16 + threadIdx.x;
  float sum = 0;
  for (int tile = 0; tile < side; tile += 16) {
    left[threadIdx.y][threadIdx.x] = a[row * side + tile + threadIdx.x];
    right[threadIdx.y][threadIdx.x] = b[(tile + threadIdx.y) * side + column];
    __syncthreads();
    for (int k = 0; k < 16; k++) {
      sum += left[threadIdx.y][k] * right[k][threadIdx.x];
    }
    __syncthreads();
  }
  c[row * side + column] = sum;
}

// Sums 512 numbers a block of 256 threads.
extern "C" __global__ void reduction(float *sums, const float *numbers) {
  __shared__ float partial[256];
  int thread = threadIdx.x;
  int first = blockIdx.x * 512 + thread;
  partial[thread] = numbers[first] + numbers[first + 256];
  __syncthreads();
  for (int half = 128; half > 0; half >>= 1) {
    if (thread < half) {
      partial[thread] += partial[thread + half];
    }
    __syncthreads();
  }
  if (thread == 0) {
    sums[blockIdx.x] = partial[0];
  }
}
