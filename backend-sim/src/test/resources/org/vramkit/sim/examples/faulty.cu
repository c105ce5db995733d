// One fault in each kernel, for the examples of docs/simulator.md. The script `compile` beside this file compiles them to PTX.

extern "C" __global__ void mirror(int* out) {
  __shared__ int tile[256];
  tile[threadIdx.x] = threadIdx.x;
  __syncthreads();
  int other = tile[255 - threadIdx.x];
  tile[threadIdx.x] = other;  // no __syncthreads() before it
  out[threadIdx.x] = tile[threadIdx.x];
}

extern "C" __global__ void shift(int* out) {
  __shared__ int tile[256];
  tile[threadIdx.x + 1] = threadIdx.x;  // one too far
  __syncthreads();
  out[threadIdx.x] = threadIdx.x == 0 ? 0 : tile[threadIdx.x];
}

extern "C" __global__ void store(char* out) {
  *reinterpret_cast<double*>(out + 4) = 1;  // not a multiple of 8
}

extern "C" __global__ void half(int* out) {
  __shared__ int tile[256];
  if (threadIdx.x < 128) {
    tile[threadIdx.x] = 1;
  }
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x];  // the upper half was never written
}

extern "C" __global__ void meet(int* out) {
  if (threadIdx.x < 32) {
    __syncthreads();  // not for the second warp
  }
  out[threadIdx.x] = 1;
}

extern "C" __global__ void pass(int* out) {
  if (threadIdx.x < 16) {
    out[threadIdx.x] = __shfl_down_sync(0xffffffff, (int)threadIdx.x, 1);  // 16 lanes, not 32
  }
}

extern "C" __global__ void demand(int* out, int n) {
  if (n > 100) {
    __trap();
  }
  out[threadIdx.x] = n;
}

extern "C" __global__ void await(volatile int* flag) {
  while (*flag == 0) {
  }
}

extern "C" __global__ void lockstep(int* out) {
  __shared__ volatile int tile[32];
  tile[threadIdx.x] = threadIdx.x;
  __syncwarp();
  int other = tile[31 - threadIdx.x];
  tile[threadIdx.x] = other;  // as before Volta, without __syncwarp()
  out[threadIdx.x] = tile[threadIdx.x];
}
