package org.vramkit.cuda;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.IntSupplier;

/**
 * Counts and times driver calls from {@link CudaBackend#measure} until it is closed. Times are host
 * times in nanoseconds and include the binding's overhead and about 25 ns for the clock. Safe for
 * any thread.
 */
public final class DriverCallMeter implements AutoCloseable {
  private final Map<String, LongAdder> counts = new ConcurrentHashMap<>();
  private final Map<String, LongAdder> nanos = new ConcurrentHashMap<>();
  private final Consumer<DriverCallMeter> stop;

  DriverCallMeter(Consumer<DriverCallMeter> stop) {
    this.stop = stop;
  }

  int measure(String call, IntSupplier body) {
    long begin = System.nanoTime();
    try {
      return body.getAsInt();
    } finally {
      long took = System.nanoTime() - begin;
      counts.computeIfAbsent(call, name -> new LongAdder()).increment();
      nanos.computeIfAbsent(call, name -> new LongAdder()).add(took);
    }
  }

  /** Returns the number of calls so far by driver function. */
  public Map<String, Long> getCounts() {
    return sums(counts);
  }

  /** Returns the nanoseconds spent in the calls by driver function. */
  public Map<String, Long> getNanos() {
    return sums(nanos);
  }

  private static Map<String, Long> sums(Map<String, LongAdder> adders) {
    Map<String, Long> sums = new TreeMap<>();
    adders.forEach((call, adder) -> sums.put(call, adder.sum()));
    return sums;
  }

  /**
   * Stops measuring and keeps the results. No effect if repeated or if another meter has replaced
   * it.
   */
  @Override
  public void close() {
    stop.accept(this);
  }
}
