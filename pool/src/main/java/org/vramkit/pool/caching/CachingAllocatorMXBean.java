package org.vramkit.pool.caching;

/**
 * The management of one open {@link CachingAllocator}, as the bean {@code
 * org.vramkit:type=CachingAllocator,device=D,number=N} of the JVM's management (JMX).
 *
 * <p>A JVM whose management runs from the start has the bean as long as the allocator is open. In
 * another one it appears with the next recording of the flight recorder, as {@code ./vramkit dump}
 * and {@code ./vramkit top} start one: no program pays for management that it does not use.
 */
public interface CachingAllocatorMXBean {

  /** The ordinal of the device. */
  int getDevice();

  /** {@link CachingAllocator#getSummary}. */
  String getSummary();

  /** Tells whether a history is kept. */
  boolean isHistoryKept();

  /** {@link CachingAllocator#startHistory}. */
  void startHistory(long bytes, boolean stacks);

  /** {@link CachingAllocator#stopHistory}. */
  void stopHistory();

  /**
   * {@link CachingAllocator#writeSnapshot}.
   *
   * @param file a path on the machine of the JVM that has the allocator
   */
  void dump(String file);
}
