package org.vramkit.bench.paced;

import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;

/** Counts the JVM's garbage collections. A query takes a few hundred nanoseconds. */
final class CollectionCount {
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
