// Integer arithmetic. Every kernel: in[0..n), out[...], one thread per element, unless it says so.
#define KERNEL(name) extern "C" __global__ void name(const int* in, int* out, int n)
#define ELEMENT int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return; int a = in[i]; int b = in[(i + 1) % n]; (void) b

KERNEL(addSub) { ELEMENT; out[i] = (a + b) * 3 - (b - a); }
KERNEL(mulHigh) { ELEMENT; out[i] = __mulhi(a, b) ^ (int) __umulhi((unsigned) a, (unsigned) b); }
KERNEL(divRem) { ELEMENT; int d = b | 1; out[i] = a / d + a % d + (int) ((unsigned) a / (unsigned) d) - (int) ((unsigned) a % (unsigned) d); }
KERNEL(divConstant) { ELEMENT; out[i] = a / 7 + a % 10 + (int) ((unsigned) a / 1000u); }
KERNEL(shifts) { ELEMENT; int s = b & 31; out[i] = (a << s) ^ (a >> s) ^ (int) ((unsigned) a >> s); }
KERNEL(bitCounts) { ELEMENT; out[i] = __popc(a) + 100 * __clz(a) + 10000 * __ffs(a) + (int) (__brev(a) >> 16); }
KERNEL(minMaxAbs) { ELEMENT; out[i] = min(a, b) - max(a, b) + abs(a) + (int) min((unsigned) a, (unsigned) b); }
KERNEL(permuteBytes) { ELEMENT; out[i] = __byte_perm(a, b, 0x3715) ^ __byte_perm(a, b, b & 0x7777); }
KERNEL(funnelShift) { ELEMENT; out[i] = __funnelshift_l(a, b, b) ^ __funnelshift_rc(a, b, b & 63); }
KERNEL(dotBytes) { ELEMENT; out[i] = __dp4a(a, b, i); }
KERNEL(wide) { ELEMENT; long long p = (long long) a * b + i; out[i] = (int) (p >> 17) ^ (int) p; }
KERNEL(divide64) { ELEMENT; long long p = (long long) a * 123457; long long d = (long long) (b | 1) * 3; out[i] = (int) (p / d) + (int) (p % d) + (int) ((unsigned long long) p / (unsigned long long) d); }
KERNEL(multiply128) { ELEMENT; __int128 p = (__int128) ((long long) a << 31) * ((long long) b << 20 | 77); out[i] = (int) (p >> 64) ^ (int) (p >> 32); }
KERNEL(sumOfDifferences) { ELEMENT; out[i] = __sad(a, b, i) + (int) __usad(a, b, 5u); }
KERNEL(bitFields) { ELEMENT; unsigned u, v; asm("bfe.u32 %0, %1, 5, 9;" : "=r"(u) : "r"(a)); asm("bfi.b32 %0, %1, %2, 11, 7;" : "=r"(v) : "r"(a), "r"(b)); out[i] = u + v; }
KERNEL(logic) { ELEMENT; int c = a + b; out[i] = (a & b | ~a & c) ^ (a ^ b ^ c) + (a & b | a & c | b & c); }
KERNEL(fourBytes) { ELEMENT; out[i] = __vadd4(a, b) ^ __vabsdiffu4(a, b) ^ __vmaxs2(a, b) ^ __vcmpgtu4(a, b); }
KERNEL(collatz) { ELEMENT; unsigned v = (a & 1023) + 1; int steps = 0; while (v != 1) { v = v & 1 ? 3 * v + 1 : v / 2; steps++; } out[i] = steps; }
KERNEL(gcd) { ELEMENT; unsigned x = a & 0xffff, y = b & 0xffff; while (y) { unsigned t = x % y; x = y; y = t; } out[i] = x; }
KERNEL(crc) { ELEMENT; unsigned c = ~0u ^ a; for (int k = 0; k < 32; k++) c = c & 1 ? c >> 1 ^ 0xedb88320u : c >> 1; out[i] = ~c; }
KERNEL(isPrime) { ELEMENT; int v = a & 4095; int prime = v > 1; for (int d = 2; d * d <= v; d++) if (v % d == 0) { prime = 0; break; } out[i] = prime; }
KERNEL(shortsAndBytes) { ELEMENT; short s = (short) a; signed char c = (signed char) b; unsigned short u = (unsigned short) (a >> 8); out[i] = s * c + u - (short) (s + c); }
