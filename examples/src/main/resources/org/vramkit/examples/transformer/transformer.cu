// Kernels of a GPT-2 in single precision. The script examples/compile-kernels compiles them to PTX.
//
// Every sum has a fixed order, so a launch gives the same bits each time: there are no atomics, and sums of many rows go
// through partial sums. Matrices are dense and in row-major order. A kernel over rows has one block for each row.

constexpr int WARP = 32;
constexpr int THREADS = 128;  // of a block over a row
constexpr int TILE = 16;      // rows and columns of a tile of a matrix product

enum class Fold { SUM, MAX };

// Folds the values of all threads of a block; each thread gets the result.
template <Fold fold>
__device__ float fold_block(float value, float* of_warps) {
  for (int distance = WARP / 2; distance > 0; distance /= 2) {
    float other = __shfl_xor_sync(~0u, value, distance);
    value = fold == Fold::SUM ? value + other : fmaxf(value, other);
  }
  __syncthreads();  // other warps may still read the results of the fold before
  if (threadIdx.x % WARP == 0) {
    of_warps[threadIdx.x / WARP] = value;
  }
  __syncthreads();
  float result = of_warps[0];
  for (int warp = 1; warp < THREADS / WARP; warp++) {
    result = fold == Fold::SUM ? result + of_warps[warp] : fmaxf(result, of_warps[warp]);
  }
  return result;
}

// ---- matrix product ------------------------------------------------------------------------------------------------

// c = op(a) op(b), where op(a) has m x k elements and op(b) k x n. The third dimension of the grid counts matrices, which
// follow each other.
extern "C" __global__ void matmul(float* c, const float* a, const float* b, int m, int n, int k, int transpose_a,
                                  int transpose_b) {
  __shared__ float tile_a[TILE][TILE];
  __shared__ float tile_b[TILE][TILE];
  a += (long long)blockIdx.z * m * k;
  b += (long long)blockIdx.z * k * n;
  c += (long long)blockIdx.z * m * n;
  int x = threadIdx.x;
  int y = threadIdx.y;
  int row = blockIdx.y * TILE + y;
  int column = blockIdx.x * TILE + x;
  float sum = 0;
  for (int first = 0; first < k; first += TILE) {
    int at_a = first + x;
    int at_b = first + y;
    tile_a[y][x] = row < m && at_a < k ? a[transpose_a ? (long long)at_a * m + row : (long long)row * k + at_a] : 0;
    tile_b[y][x] = column < n && at_b < k ? b[transpose_b ? (long long)column * k + at_b : (long long)at_b * n + column] : 0;
    __syncthreads();
    for (int i = 0; i < TILE; i++) {
      sum += tile_a[y][i] * tile_b[i][x];
    }
    __syncthreads();  // before the next tile
  }
  if (row < m && column < n) {
    c[(long long)row * n + column] = sum;
  }
}

// ---- forward -------------------------------------------------------------------------------------------------------

// Adds the embeddings of a token and of its position.
extern "C" __global__ void embed(float* out, const int* tokens, const float* of_tokens, const float* of_positions,
                                 int context, int channels) {
  long long row = blockIdx.x;
  long long token = tokens[row];
  long long position = row % context;
  for (int i = threadIdx.x; i < channels; i += THREADS) {
    out[row * channels + i] = of_tokens[token * channels + i] + of_positions[position * channels + i];
  }
}

// Normalizes each row to mean 0 and variance 1, then scales and shifts each channel. Keeps the mean and the reciprocal of
// the deviation of the row.
extern "C" __global__ void layer_norm(float* out, float* means, float* scales, const float* in, const float* weight,
                                      const float* bias, int channels) {
  __shared__ float of_warps[THREADS / WARP];
  long long row = blockIdx.x;
  in += row * channels;
  out += row * channels;
  float sum = 0;
  for (int i = threadIdx.x; i < channels; i += THREADS) {
    sum += in[i];
  }
  float mean = fold_block<Fold::SUM>(sum, of_warps) / channels;
  float squares = 0;
  for (int i = threadIdx.x; i < channels; i += THREADS) {
    squares += (in[i] - mean) * (in[i] - mean);
  }
  float scale = 1 / sqrtf(fold_block<Fold::SUM>(squares, of_warps) / channels + 1e-5f);
  for (int i = threadIdx.x; i < channels; i += THREADS) {
    out[i] = (in[i] - mean) * scale * weight[i] + bias[i];
  }
  if (threadIdx.x == 0) {
    means[row] = mean;
    scales[row] = scale;
  }
}

// Copies each head's channels of each part into matrices of their own, and adds the bias if there is one:
// [sequence][position][part][head][channel] to [part][sequence][head][position][channel].
extern "C" __global__ void split_heads(float* out, const float* in, const float* bias, int parts, int sequences,
                                       int context, int heads, int width) {
  long long count = (long long)parts * sequences * context * heads * width;
  long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) {
    return;
  }
  int channel = i % width;
  int position = i / width % context;
  int head = i / width / context % heads;
  int sequence = i / width / context / heads % sequences;
  int part = i / width / context / heads / sequences;
  int in_row = (part * heads + head) * width + channel;
  float value = in[((long long)sequence * context + position) * parts * heads * width + in_row];
  out[i] = bias ? value + bias[in_row] : value;
}

// The inverse of split_heads, without a bias.
extern "C" __global__ void merge_heads(float* out, const float* in, int parts, int sequences, int context, int heads,
                                       int width) {
  long long count = (long long)parts * sequences * context * heads * width;
  long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) {
    return;
  }
  int channel = i % width;
  int position = i / width % context;
  int head = i / width / context % heads;
  int sequence = i / width / context / heads % sequences;
  int part = i / width / context / heads / sequences;
  int in_row = (part * heads + head) * width + channel;
  out[((long long)sequence * context + position) * parts * heads * width + in_row] = in[i];
}

// Turns the scores of a position for all others into weights with sum 1, in place. Later positions get 0.
extern "C" __global__ void causal_softmax(float* scores, float scale, int context) {
  __shared__ float of_warps[THREADS / WARP];
  scores += (long long)blockIdx.x * context;
  int position = blockIdx.x % context;
  float max = -INFINITY;
  for (int i = threadIdx.x; i <= position; i += THREADS) {
    max = fmaxf(max, scores[i] * scale);
  }
  max = fold_block<Fold::MAX>(max, of_warps);
  float sum = 0;
  for (int i = threadIdx.x; i <= position; i += THREADS) {
    sum += expf(scores[i] * scale - max);
  }
  sum = fold_block<Fold::SUM>(sum, of_warps);
  for (int i = threadIdx.x; i < context; i += THREADS) {
    scores[i] = i <= position ? expf(scores[i] * scale - max) / sum : 0;
  }
}

// out = residual + in + bias
extern "C" __global__ void add_residual(float* out, const float* residual, const float* in, const float* bias,
                                        int channels, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) {
    out[i] = residual[i] + in[i] + bias[i % channels];
  }
}

constexpr float GELU_SLOPE = 0.7978845608f;  // the square root of 2 / pi
constexpr float GELU_CUBE = 0.044715f;

// in += bias, out = gelu(in), by the approximation with tanh that GPT-2 uses.
extern "C" __global__ void gelu(float* out, float* in, const float* bias, int channels, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) {
    float x = in[i] + bias[i % channels];
    in[i] = x;
    out[i] = 0.5f * x * (1 + tanhf(GELU_SLOPE * (x + GELU_CUBE * x * x * x)));
  }
}

// The loss of a row is the cross entropy of its target. Replaces the logits by the gradient of scale * loss.
extern "C" __global__ void cross_entropy(float* losses, float* logits, const int* targets, float scale,
                                         int vocabulary) {
  __shared__ float of_warps[THREADS / WARP];
  long long row = blockIdx.x;
  logits += row * vocabulary;
  int target = targets[row];
  float of_target = logits[target];
  float max = -INFINITY;
  for (int i = threadIdx.x; i < vocabulary; i += THREADS) {
    max = fmaxf(max, logits[i]);
  }
  max = fold_block<Fold::MAX>(max, of_warps);
  float sum = 0;
  for (int i = threadIdx.x; i < vocabulary; i += THREADS) {
    sum += expf(logits[i] - max);
  }
  sum = fold_block<Fold::SUM>(sum, of_warps);
  for (int i = threadIdx.x; i < vocabulary; i += THREADS) {
    logits[i] = scale * (expf(logits[i] - max) / sum - (i == target));
  }
  if (threadIdx.x == 0) {
    losses[row] = scale * (logf(sum) + max - of_target);
  }
}

// Sums all values, in one block.
extern "C" __global__ void sum(float* out, const float* in, int count) {
  __shared__ float of_warps[THREADS / WARP];
  float sum = 0;
  for (int i = threadIdx.x; i < count; i += THREADS) {
    sum += in[i];
  }
  sum = fold_block<Fold::SUM>(sum, of_warps);
  if (threadIdx.x == 0) {
    *out = sum;
  }
}

// ---- backward ------------------------------------------------------------------------------------------------------

// Multiplies a gradient by that of gelu at `in`, in place.
extern "C" __global__ void gelu_backward(float* gradient, const float* in, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) {
    float x = in[i];
    float t = tanhf(GELU_SLOPE * (x + GELU_CUBE * x * x * x));
    float slope = GELU_SLOPE * (1 + 3 * GELU_CUBE * x * x);
    gradient[i] *= 0.5f * (1 + t) + 0.5f * x * (1 - t * t) * slope;
  }
}

// Turns the gradient of the weights of causal_softmax into that of the scores, in place.
extern "C" __global__ void causal_softmax_backward(float* gradient, const float* weights, float scale, int context) {
  __shared__ float of_warps[THREADS / WARP];
  gradient += (long long)blockIdx.x * context;
  weights += (long long)blockIdx.x * context;
  float product = 0;
  for (int i = threadIdx.x; i < context; i += THREADS) {
    product += gradient[i] * weights[i];
  }
  product = fold_block<Fold::SUM>(product, of_warps);
  for (int i = threadIdx.x; i < context; i += THREADS) {
    gradient[i] = scale * weights[i] * (gradient[i] - product);
  }
}

// The gradient of the input of layer_norm; `residual` is a gradient that is added, or null.
extern "C" __global__ void layer_norm_backward(float* out, const float* residual, const float* gradient,
                                               const float* in, const float* weight, const float* means,
                                               const float* scales, int channels) {
  __shared__ float of_warps[THREADS / WARP];
  long long row = blockIdx.x;
  float mean = means[row];
  float scale = scales[row];
  in += row * channels;
  gradient += row * channels;
  float sum = 0;
  float product = 0;
  for (int i = threadIdx.x; i < channels; i += THREADS) {
    float normalized = gradient[i] * weight[i];
    sum += normalized;
    product += normalized * (in[i] - mean) * scale;
  }
  sum = fold_block<Fold::SUM>(sum, of_warps) / channels;
  product = fold_block<Fold::SUM>(product, of_warps) / channels;
  for (int i = threadIdx.x; i < channels; i += THREADS) {
    float normalized = gradient[i] * weight[i];
    float result = (normalized - sum - (in[i] - mean) * scale * product) * scale;
    out[row * channels + i] = residual ? residual[row * channels + i] + result : result;
  }
}

// Partial sums of the gradients of weight and bias of layer_norm. The second dimension of the grid divides the rows; each
// of its blocks gives the sums of all weights, then of all biases.
extern "C" __global__ void layer_norm_sums(float* partial, const float* gradient, const float* in, const float* means,
                                           const float* scales, int rows, int channels) {
  int channel = blockIdx.x * blockDim.x + threadIdx.x;
  if (channel >= channels) {
    return;
  }
  float weight = 0;
  float bias = 0;
  for (int row = blockIdx.y; row < rows; row += gridDim.y) {
    long long at = (long long)row * channels + channel;
    weight += gradient[at] * (in[at] - means[row]) * scales[row];
    bias += gradient[at];
  }
  partial[(long long)blockIdx.y * 2 * channels + channel] = weight;
  partial[(long long)blockIdx.y * 2 * channels + channels + channel] = bias;
}

// Partial sums of columns. The second dimension of the grid divides the rows.
extern "C" __global__ void column_sums(float* partial, const float* in, int rows, int columns) {
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  if (column >= columns) {
    return;
  }
  float sum = 0;
  for (int row = blockIdx.y; row < rows; row += gridDim.y) {
    sum += in[(long long)row * columns + column];
  }
  partial[(long long)blockIdx.y * columns + column] = sum;
}

// Adds partial sums.
extern "C" __global__ void add_partial(float* out, const float* partial, int parts, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) {
    return;
  }
  float sum = 0;
  for (int part = 0; part < parts; part++) {
    sum += partial[(long long)part * count + i];
  }
  out[i] = sum;
}

// Adds the gradients of all positions with the same token. `first` has the start of each token's positions in
// `positions`, and their end; there is one block for each token that occurs.
extern "C" __global__ void embed_tokens_backward(float* out, const float* gradient, const int* tokens,
                                                 const int* first, const int* positions, int channels) {
  long long token = tokens[blockIdx.x];
  for (int channel = threadIdx.x; channel < channels; channel += THREADS) {
    float sum = out[token * channels + channel];
    for (int i = first[blockIdx.x]; i < first[blockIdx.x + 1]; i++) {
      sum += gradient[(long long)positions[i] * channels + channel];
    }
    out[token * channels + channel] = sum;
  }
}

// Adds the gradients of a position over all sequences, in one block for each position.
extern "C" __global__ void embed_positions_backward(float* out, const float* gradient, int sequences, int context,
                                                    int channels) {
  long long position = blockIdx.x;
  for (int channel = threadIdx.x; channel < channels; channel += THREADS) {
    float sum = 0;
    for (int sequence = 0; sequence < sequences; sequence++) {
      sum += gradient[((long long)sequence * context + position) * channels + channel];
    }
    out[position * channels + channel] = sum;
  }
}

// ---- update --------------------------------------------------------------------------------------------------------

// out = a + b, where out may be a
extern "C" __global__ void add(float* out, const float* a, const float* b, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) {
    out[i] = a[i] + b[i];
  }
}

struct AdamW {
  float rate;
  float beta1;
  float beta2;
  float correction1;  // 1 - beta1 to the power of the step
  float correction2;
  float epsilon;
  float decay;
};

// A step of AdamW (Loshchilov and Hutter 2019).
extern "C" __global__ void adamw(float* parameters, float* means, float* squares, const float* gradients, AdamW by,
                                 int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) {
    float gradient = gradients[i];
    float mean = by.beta1 * means[i] + (1 - by.beta1) * gradient;
    float square = by.beta2 * squares[i] + (1 - by.beta2) * gradient * gradient;
    means[i] = mean;
    squares[i] = square;
    float direction = mean / by.correction1 / (sqrtf(square / by.correction2) + by.epsilon);
    parameters[i] -= by.rate * (direction + by.decay * parameters[i]);
  }
}
