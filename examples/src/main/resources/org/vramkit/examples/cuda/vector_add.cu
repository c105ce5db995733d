// The script examples/compile-kernels compiles it to PTX.
extern "C" __global__ void vector_add(float* sums, const float* a, const float* b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    sums[i] = a[i] + b[i];
  }
}
