// Memory: constants, globals, vectors, narrow types, generic pointers.
#define KERNEL(name) extern "C" __global__ void name(const int* in, int* out, int n)
#define ELEMENT int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return; int a = in[i]
__constant__ int table[16] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3};
__constant__ double scale = 0.25;
__device__ int base = 1000;
__device__ int values[4] = {10, 20, 30, 40};
__device__ int* pointers[2] = {values + 1, &base};
__device__ const char text[] = "Vramkit";

KERNEL(constants) { ELEMENT; out[i] = table[a & 15] + (int) (a * scale); }
KERNEL(globals) { ELEMENT; out[i] = base + values[a & 3] + *pointers[a >> 2 & 1] + text[(unsigned) a % 7]; }
KERNEL(vectors) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n / 4) return; int4 v = ((const int4*) in)[i]; int4 r; r.x = v.w; r.y = v.z + v.x; r.z = v.y; r.w = v.x ^ v.w; ((int4*) out)[i] = r; }
KERNEL(bytes) { ELEMENT; ((unsigned char*) out)[4 * i] = a; ((signed char*) out)[4 * i + 1] = a >> 9; ((short*) out)[2 * i + 1] = ((const short*) in)[2 * i + 1] * 3; }
KERNEL(gather) { ELEMENT; int r = 0; for (int k = 0; k < 5; k++) r += in[(unsigned) (a + k * 7919) % (unsigned) n]; out[i] = r; }
KERNEL(strided) { for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = in[n - 1 - i] * 2; }
KERNEL(doubles) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n / 2) return; double d = in[2 * i] * 0.5 + in[2 * i + 1]; ((double*) out)[i] = d; }
KERNEL(dimensions) { int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z * blockDim.z + threadIdx.z; int w = gridDim.x * blockDim.x, h = gridDim.y * blockDim.y; int i = (z * h + y) * w + x; out[i] = in[i] + x * 100 + y * 10 + z; }
KERNEL(unions) { ELEMENT; union { int w; unsigned char b[4]; } u; u.w = a; unsigned char t = u.b[0]; u.b[0] = u.b[3]; u.b[3] = t; u.b[a & 3] ^= 0x55; out[i] = u.w; }
