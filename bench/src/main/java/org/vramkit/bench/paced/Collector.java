package org.vramkit.bench.paced;

import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;

/** How often the JVM's collector has run; asking takes some hundred nanoseconds. */
final class Collector {
  private final GarbageCollectorMXBean[] beans =
      ManagementFactory.getGarbageCollectorMXBeans().toArray(new GarbageCollectorMXBean[0]);

  long getCollections() {
    long sum = 0;
    for (GarbageCollectorMXBean bean : beans) {
      sum += bean.getCollectionCount();
    }
    return sum;
  }
}
