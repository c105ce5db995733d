extern "C" __global__ void reverse(float* values, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    values[i] = values[n - 1 - i];
  }
}
