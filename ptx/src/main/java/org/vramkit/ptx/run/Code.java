package org.vramkit.ptx.run;

import java.util.ArrayDeque;

/** A translated function. A program of one launch at a time uses it. */
public final class Code {
  public final String name;
  public final boolean entry;

  /** The steps; a path that reaches the end of the array returns. */
  public Step[] steps = new Step[0];

  /** Numbers of registers of 32 and 64 bits, and of predicates. */
  public int wordCount;

  public int longCount;
  public int predicateCount;

  /** Registers that hold constants: their index is that in the frame, other elements are null. */
  public int[][] wordConstants = new int[0][];

  public long[][] longConstants = new long[0][];

  /** Bytes of local memory of a call: variables, parameters and results. */
  public int localBytes;

  /** Address of the function, for calls by pointer. */
  public long address;

  private final ArrayDeque<Frame> spare = new ArrayDeque<>();

  public Code(String name, boolean entry) {
    this.name = name;
    this.entry = entry;
  }

  Frame frame() {
    Frame frame = spare.poll();
    return frame == null ? new Frame(this) : frame;
  }

  void recycle(Frame frame) {
    spare.push(frame);
  }
}
