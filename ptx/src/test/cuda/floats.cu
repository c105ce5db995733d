// Floating point: results that Java computes to the bit.
#include <cuda_fp16.h>
#include <cuda_bf16.h>
#define KERNEL(name) extern "C" __global__ void name(const int* in, int* out, int n)
#define ELEMENT int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return; float a = (in[i] >> 8) / 1024.0f; float b = (in[(i + 1) % n] >> 12) / 64.0f
#define BITS(x) __float_as_int(x)

KERNEL(multiplyAdd) { ELEMENT; out[i] = BITS(fmaf(a, b, 1.5f)); }
KERNEL(multiplyThenAdd) { ELEMENT; out[i] = BITS(__fadd_rn(__fmul_rn(a, b), -a)); }
KERNEL(divide) { ELEMENT; out[i] = BITS(a / (b == 0 ? 1 : b)); }
KERNEL(squareRoot) { ELEMENT; out[i] = BITS(sqrtf(fabsf(a))); }
KERNEL(reciprocal) { ELEMENT; out[i] = BITS(__frcp_rn(b == 0 ? 3 : b)); }
KERNEL(polynomial) { ELEMENT; double x = a; double y = ((x * 0.5 + 3) * x - 2) / (x * x + 1); long long r = __double_as_longlong(y); out[i] = (int) (r >> 32) ^ (int) r; }
KERNEL(squareRootDouble) { ELEMENT; long long r = __double_as_longlong(sqrt(fabs((double) a) * b * b)); out[i] = (int) (r >> 32) ^ (int) r; }
KERNEL(toInteger) { ELEMENT; out[i] = __float2int_rn(a) ^ __float2int_rz(b) << 3 ^ __float2int_ru(a) << 7 ^ __float2int_rd(b) << 11; }
KERNEL(fromInteger) { ELEMENT; out[i] = BITS((float) in[i]) ^ BITS((float) (unsigned) in[i]) + (int) (a * 0 + b * 0); }
KERNEL(extremes) { ELEMENT; out[i] = BITS(fminf(a, b)) + BITS(fmaxf(a, b)); }
KERNEL(compare) { ELEMENT; out[i] = (a < b) + 2 * (a <= b) + 4 * (a > b) + 8 * (a == b) + 16 * (a != a); }
KERNEL(rounding) { ELEMENT; out[i] = BITS(floorf(a)) ^ BITS(ceilf(b)) ^ BITS(rintf(a)) + BITS(truncf(b)); }
KERNEL(horner) { ELEMENT; float y = 0; for (int k = 1; k < 20; k++) y = fmaf(y, 0.75f, a / k); out[i] = BITS(y + b); }
KERNEL(toHalf) { ELEMENT; __half h = __float2half(a); out[i] = __half_as_ushort(h) | __half_as_ushort(__hmul(h, __float2half(2.0f))) << 16; (void) b; }
KERNEL(toBfloat) { ELEMENT; out[i] = __bfloat16_as_ushort(__float2bfloat16(a)) + BITS(__bfloat162float(__float2bfloat16(b))); }
KERNEL(newton) { ELEMENT; float x = 1, v = fabsf(a) + 1; for (int k = 0; k < 40; k++) x = 0.5f * (x + v / x); out[i] = BITS(x + b * 0); }
KERNEL(mandelbrot) { ELEMENT; float x = 0, y = 0, cx = (i % 64) / 24.0f - 2, cy = (i / 64) / 24.0f - 1; int k = 0; while (k < 100 && __fadd_rn(__fmul_rn(x, x), __fmul_rn(y, y)) < 4) { float t = __fadd_rn(__fsub_rn(__fmul_rn(x, x), __fmul_rn(y, y)), cx); y = __fadd_rn(__fmul_rn(__fmul_rn(2, x), y), cy); x = t; k++; } out[i] = k + (int) (a * 0 + b * 0); }
