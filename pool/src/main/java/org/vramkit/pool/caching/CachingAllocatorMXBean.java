package org.vramkit.pool.caching;

import java.util.Map;
import org.vramkit.api.allocator.Metric;

/**
 * The JMX interface of an open {@link CachingAllocator}, registered as {@code
 * org.vramkit:type=CachingAllocator,device=D,number=N}.
 *
 * <p>If the platform MBean server is running when the allocator is created, the bean is registered
 * at once. Otherwise the bean is registered when a recording of the flight recorder starts, so that
 * a program does not pay for JMX that it does not use. {@code ./vramkit dump} and {@code ./vramkit
 * top} start a recording.
 */
public interface CachingAllocatorMXBean {

  /** Returns the ordinal of the device. */
  int getDevice();

  /** Returns {@link CachingAllocator#getSummary}. */
  String getSummary();

  /**
   * Returns the current values of all figures, and the peaks of gauges, by their {@linkplain
   * Metric#key keys}, such as {@code reserved} and {@code reservedPeak}.
   */
  Map<String, Long> getFigures();

  /** Returns whether a history is kept. */
  boolean isHistoryKept();

  /** Calls {@link CachingAllocator#startHistory}. */
  void startHistory(long bytes, boolean stacks);

  /** Calls {@link CachingAllocator#stopHistory}. */
  void stopHistory();

  /**
   * Calls {@link CachingAllocator#writeSnapshot}.
   *
   * @param file path on the machine of the allocator's JVM
   */
  void dump(String file);

  /** Returns {@link CachingAllocator#getLimit}. */
  long getLimit();

  /**
   * Calls {@link CachingAllocator#setLimit}.
   *
   * @param bytes not negative
   * @throws IllegalStateException unless the JVM runs with {@code -Dvramkit.remote-control=true}
   */
  void setLimit(long bytes);

  /**
   * Calls {@link CachingAllocator#trim}.
   *
   * @param keepBytes not negative
   * @throws IllegalStateException unless the JVM runs with {@code -Dvramkit.remote-control=true}
   */
  void trim(long keepBytes);
}
