package org.vramkit.ptx.run;

import org.jspecify.annotations.Nullable;

/** The registers of a call, for all lanes of a warp. */
public final class Frame {
  public static final int LANES = 32;

  public final Code code;

  /** Values of the lanes, zero-extended. */
  public final long[][] registers;

  public final int[] predicates;

  /** The carry of extended arithmetic, one bit per lane. */
  public int carry;

  /** First byte of the call's local memory, and the first one behind it. */
  public int localBase;

  public int localTop;
  @Nullable Frame caller;

  /** The call that created the frame; null for a kernel. */
  @Nullable Arguments site;

  /** Lanes that have not returned. */
  int live;

  Frame(Code code) {
    this.code = code;
    this.registers = new long[code.constants.size()][];
    this.predicates = new int[code.predicateCount];
    for (int i = 0; i < registers.length; i++) {
      long[] constant = code.constants.get(i);
      registers[i] = constant == null ? new long[LANES] : constant;
    }
  }
}
