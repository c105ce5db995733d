package org.vramkit.pool.caching.cost;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;

/**
 * What work cost the thread that did it, in things that can be counted.
 *
 * @param bytes allocated on the JVM's heap
 * @param waits times that the thread was blocked or parked
 */
record CountedCost(long bytes, long waits) {
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  /** Does the work on the calling thread. */
  static CountedCost of(Runnable work) {
    long id = Thread.currentThread().getId();
    long waits = waits(id);
    long bytes = THREADS.getThreadAllocatedBytes(id);
    work.run();
    bytes = THREADS.getThreadAllocatedBytes(id) - bytes;
    return new CountedCost(bytes, waits(id) - waits);
  }

  CountedCost plus(CountedCost other) {
    return new CountedCost(bytes + other.bytes, waits + other.waits);
  }

  private static long waits(long id) {
    ThreadInfo info = THREADS.getThreadInfo(id);
    return info.getBlockedCount() + info.getWaitedCount();
  }
}
