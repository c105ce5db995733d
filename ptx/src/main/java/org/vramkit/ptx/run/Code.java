package org.vramkit.ptx.run;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A translated function. A program of one launch at a time uses it. */
public final class Code {
  public final String name;
  public final boolean entry;

  /** The steps; a path that reaches the end of the array returns. */
  public Step[] steps = new Step[0];

  public int predicateCount;

  /** All registers but predicates: the values of one that holds a constant, else null. */
  public final List<long @Nullable []> constants = new ArrayList<>();

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
