package org.vramkit.partition.scatter;

/**
 * The reaction of a {@linkplain Schedule#planned planned} scatter in which a GPU failed, but not
 * the user's own code. A {@linkplain Schedule#guided guided} one always moves what is unfinished.
 */
public enum FailurePolicy {
  /** The whole batch is done on the CPU, on input as it was. */
  ALL_ON_CPU,
  /**
   * The failed tile is tried on one other device, and the device that failed gets no more work from
   * this scatter. A tile that fails on two devices is not tried on a third: it is named, and the
   * batch done on the CPU if that is allowed. A fatal error loses all devices of the process, so
   * then nothing is moved.
   */
  MOVE_TILE
}
