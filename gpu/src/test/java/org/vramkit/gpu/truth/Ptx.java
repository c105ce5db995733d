package org.vramkit.gpu.truth;

/** Kernels of the probes. */
final class Ptx {
  /** Stores a word at an address; a variable in global memory. */
  static final String STORE =
      """
      .version 6.0
      .target sm_50
      .address_size 64
      .visible .global .align 4 .u32 counter = 5;
      .visible .entry store(.param .u64 address, .param .u32 word)
      {
        .reg .u64 %a;
        .reg .u32 %w;
        ld.param.u64 %a, [address];
        ld.param.u32 %w, [word];
        cvta.to.global.u64 %a, %a;
        st.global.u32 [%a], %w;
        ret;
      }
      .visible .entry count()
      {
        .reg .u64 %a;
        .reg .u32 %w;
        mov.u64 %a, counter;
        ld.global.u32 %w, [%a];
        add.u32 %w, %w, 1;
        st.global.u32 [%a], %w;
        ret;
      }
      """;

  private Ptx() {}
}
