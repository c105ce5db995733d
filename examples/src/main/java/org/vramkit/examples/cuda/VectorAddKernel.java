package org.vramkit.examples.cuda;

/** A kernel in PTX that computes {@code c[i] = a[i] + b[i]} for i below n. */
final class VectorAddKernel {
  static final String NAME = "vector_add";

  static final int THREADS_PER_BLOCK = 256;

  static final String PTX =
      """
      .version 6.0
      .target sm_50
      .address_size 64

      .visible .entry vector_add(
        .param .u64 c_param,
        .param .u64 a_param,
        .param .u64 b_param,
        .param .u32 n_param
      )
      {
        .reg .pred %past;
        .reg .u32 %n, %thread, %block, %width, %i;
        .reg .u64 %a, %b, %c, %offset;
        .reg .f32 %x, %y, %sum;

        ld.param.u64 %c, [c_param];
        ld.param.u64 %a, [a_param];
        ld.param.u64 %b, [b_param];
        ld.param.u32 %n, [n_param];
        mov.u32 %thread, %tid.x;
        mov.u32 %block, %ctaid.x;
        mov.u32 %width, %ntid.x;
        mad.lo.u32 %i, %block, %width, %thread;
        setp.ge.u32 %past, %i, %n;
        @%past bra DONE;
        cvta.to.global.u64 %a, %a;
        cvta.to.global.u64 %b, %b;
        cvta.to.global.u64 %c, %c;
        mul.wide.u32 %offset, %i, 4;
        add.u64 %a, %a, %offset;
        add.u64 %b, %b, %offset;
        add.u64 %c, %c, %offset;
        ld.global.f32 %x, [%a];
        ld.global.f32 %y, [%b];
        add.f32 %sum, %x, %y;
        st.global.f32 [%c], %sum;
      DONE:
        ret;
      }
      """;

  private VectorAddKernel() {}

  /** Returns the number of thread blocks for n elements. */
  static int blocks(int n) {
    return (n + THREADS_PER_BLOCK - 1) / THREADS_PER_BLOCK;
  }

  /**
   * Returns n whole numbers, multiples of factor, whose sums are exact, so that results compare bit
   * by bit.
   */
  static float[] operand(int n, int factor) {
    float[] numbers = new float[n];
    for (int i = 0; i < n; i++) {
      numbers[i] = factor * (i % 1024);
    }
    return numbers;
  }

  /** Returns the number of wrong sums. */
  static int countWrong(float[] a, float[] b, float[] sums) {
    int wrong = 0;
    for (int i = 0; i < sums.length; i++) {
      if (sums[i] != a[i] + b[i]) {
        wrong++;
      }
    }
    return wrong;
  }
}
