// Control flow: jump tables, calls, recursion, pointers to functions, local arrays.
#define KERNEL(name) extern "C" __global__ void name(const int* in, int* out, int n)
#define ELEMENT int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return; int a = in[i]

KERNEL(jumpTable) {
  ELEMENT;
  int r;
  switch (a & 7) {
    case 0: r = a + 5; break;
    case 1: r = a * 77; break;
    case 2: r = __popc(a); break;
    case 3: r = a ^ 0x1234; break;
    case 4: r = -a; break;
    case 5: r = a << 7; break;
    case 6: r = a >> 3; break;
    default: r = 1;
  }
  out[i] = r;
}
__device__ __noinline__ int fibonacci(int k) { return k < 2 ? k : fibonacci(k - 1) + fibonacci(k - 2); }
KERNEL(recursion) { ELEMENT; out[i] = fibonacci(a & 7); }
typedef int (*Function)(int);
__device__ int plusTen(int x) { return x + 10; }
__device__ int square(int x) { return x * x; }
__device__ int negate(int x) { return -x; }
__device__ Function functions[3] = {plusTen, square, negate};
KERNEL(functionPointers) { ELEMENT; out[i] = functions[(unsigned) a % 3](a & 0xff); }
struct Shape { __device__ virtual int area(int x) = 0; };
struct Square : Shape { __device__ int area(int x) { return x * x; } };
struct Bar : Shape { int w; __device__ Bar(int w) : w(w) {} __device__ int area(int x) { return x * w; } };
KERNEL(virtualFunctions) { ELEMENT; Shape* s; if (a & 1) s = new Square(); else s = new Bar(3); out[i] = s->area(a & 0xff); delete s; }
KERNEL(localHistogram) { ELEMENT; int bins[16]; for (int k = 0; k < 16; k++) bins[k] = 0; for (int k = 0; k < 32; k++) bins[(a >> (k & 15)) + k & 15]++; int r = 0; for (int k = 0; k < 16; k++) r = r * 5 + bins[k]; out[i] = r; }
KERNEL(localSort) { ELEMENT; int v[12]; for (int k = 0; k < 12; k++) v[k] = in[(i + k * 7) % n] & 0xffff; for (int k = 1; k < 12; k++) { int x = v[k], j = k; while (j > 0 && v[j - 1] > x) { v[j] = v[j - 1]; j--; } v[j] = x; } int r = a; for (int k = 0; k < 12; k++) r = r * 31 + v[k]; out[i] = r; }
KERNEL(divergentLoops) { ELEMENT; int r = 0; for (int k = 0; k < (a & 31); k++) { if (k & 1) r += k * a; else for (int j = 0; j < (k & 3); j++) r ^= j + k; if (r == 77) continue; if (k > 20 && (r & 64)) break; } out[i] = r; }
__device__ __noinline__ int clamp(int x, int low, int high) { if (x < low) return low; if (x > high) return high; return x; }
KERNEL(earlyReturns) { ELEMENT; if ((a & 3) == 0) { out[i] = -1; return; } out[i] = clamp(a, -1000, 1000); if ((a & 3) == 1) return; out[i] += 5; }
struct Pair { int first; long long second; };
__device__ __noinline__ Pair make(int x) { Pair p; p.first = x * 2; p.second = (long long) x * x; return p; }
__device__ __noinline__ int use(Pair p) { return p.first + (int) (p.second >> 5); }
KERNEL(structs) { ELEMENT; Pair p = make(a); p.first ^= 3; out[i] = use(p); }
KERNEL(nested) { ELEMENT; int r = 0; if (a & 1) { if (a & 2) { r = a & 4 ? 1 : 2; } else { r = a & 8 ? 3 : 4; } r *= 10; } else if (a & 16) { int k = 0; do { r += k; k++; } while (k < (a >> 5 & 7)); } else r = -7; out[i] = r; }
KERNEL(irreducible) { ELEMENT; int r = 0, k = a & 15; if (a & 16) goto middle; top: r += 3; middle: r ^= k; if (--k > 0) goto top; out[i] = r; }
__device__ __noinline__ int sumOf(const int* v, int count) { int r = 0; for (int k = 0; k < count; k++) r += v[k]; return r; }
KERNEL(pointerToLocal) { ELEMENT; int v[8]; for (int k = 0; k < 8; k++) v[k] = a >> k; out[i] = sumOf(v, 8) + sumOf(in, a & 7); }
