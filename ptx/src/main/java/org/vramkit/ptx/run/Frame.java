package org.vramkit.ptx.run;

import org.jspecify.annotations.Nullable;

/** The registers of a call, for all lanes of a warp. */
public final class Frame {
  public static final int LANES = 32;

  public final Code code;
  public final int[][] words;
  public final long[][] longs;
  public final int[] predicates;

  /** The carry of extended arithmetic, one bit per lane. */
  public int carry;

  /** First byte of the call's local memory, and the first one behind it. */
  public int localBase;

  public int localTop;
  @Nullable Frame caller;

  /** The call that created the frame; null for a kernel. */
  @Nullable CallSite site;

  /** Lanes that have not returned. */
  int live;

  Frame(Code code) {
    this.code = code;
    this.words = new int[code.wordCount][];
    this.longs = new long[code.longCount][];
    this.predicates = new int[code.predicateCount];
    for (int i = 0; i < words.length; i++) {
      boolean constant = i < code.wordConstants.length && code.wordConstants[i] != null;
      words[i] = constant ? code.wordConstants[i] : new int[LANES];
    }
    for (int i = 0; i < longs.length; i++) {
      boolean constant = i < code.longConstants.length && code.longConstants[i] != null;
      longs[i] = constant ? code.longConstants[i] : new long[LANES];
    }
  }
}
