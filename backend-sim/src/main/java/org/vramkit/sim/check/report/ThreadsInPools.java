package org.vramkit.sim.check.report;

/**
 * Which threads are inside a pool. What they ask and wait for there teaches the pools, which may
 * rely on it when they hand memory on, and not the program: whether a pool asks depends on what it
 * has cached, so a program that relied on it would be right by luck.
 */
public final class ThreadsInPools {
  // Kept for each thread, because pools come and go with every call.
  private final ThreadLocal<int[]> depth = ThreadLocal.withInitial(() -> new int[1]);

  public void enter() {
    depth.get()[0]++;
  }

  public void leave() {
    int[] entered = depth.get();
    entered[0] = Math.max(0, entered[0] - 1);
  }

  public boolean isInside() {
    return depth.get()[0] > 0;
  }
}
