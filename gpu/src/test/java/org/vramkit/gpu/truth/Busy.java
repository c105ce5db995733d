package org.vramkit.gpu.truth;

import org.vramkit.api.device.Stream;

/** Work of some milliseconds on a stream, whose end sets a flag in page-locked memory. */
final class Busy {
  private static final int FILLS = 60;

  private final Lab lab;
  private final int flag;

  Busy(Lab lab, Stream stream) {
    this.lab = lab;
    this.flag = lab.newFlag();
    for (int i = 0; i < FILLS; i++) {
      stream.fill(lab.work, (byte) i, Lab.WORK);
    }
    stream.copyToHost(lab.flags, flag, lab.one, 1);
  }

  /** Lets the same work begin again, in a graph. */
  void again() {
    lab.flags.getBytes(flag, 1).put(0, (byte) 0);
  }

  boolean isDone() {
    return lab.flags.getBytes(flag, 1).get(0) != 0;
  }

  /** Returns whether what the caller has just done waited for this work. */
  String state() {
    return isDone() ? "waited" : "pending";
  }
}
