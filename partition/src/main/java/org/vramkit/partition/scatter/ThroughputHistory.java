package org.vramkit.partition.scatter;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Device;
import org.vramkit.api.error.InvalidArgumentException;

/**
 * How fast devices did work of a kind, for the next run to begin with. A program that wants to keep
 * it stores {@link #toMap}. Safe for any thread.
 */
public final class ThroughputBook {
  /** The CPU's name in the keys. */
  private static final String CPU = "cpu";

  private final Map<String, Double> rates = new ConcurrentHashMap<>();

  /** A book without rates. */
  public ThroughputBook() {}

  /**
   * A book with the rates of another one.
   *
   * @param rates what {@link #toMap} returned
   * @throws InvalidArgumentException if a rate is not positive and finite; names its key
   */
  public static ThroughputBook of(Map<String, Double> rates) {
    ThroughputBook book = new ThroughputBook();
    rates.forEach(
        (key, rate) -> {
          if (!(rate > 0) || Double.isInfinite(rate)) {
            throw new InvalidArgumentException(
                "the rate of '" + key + "' is " + rate + "; it must be positive and finite");
          }
          book.rates.put(key, rate);
        });
    return book;
  }

  /** Units a second, by kind of work and device; a copy, sorted by key. */
  public Map<String, Double> toMap() {
    return new TreeMap<>(rates);
  }

  /**
   * How fast a device did work of a kind.
   *
   * @param device null for the CPU
   * @return units a second; 0 if nothing is known
   */
  public double getRate(String kind, @Nullable Device device) {
    return rates.getOrDefault(key(kind, device), 0.0);
  }

  void put(String kind, @Nullable Device device, double rate) {
    rates.put(key(kind, device), rate);
  }

  /** The model is in it, as another machine may have another device of this ordinal. */
  private static String key(String kind, @Nullable Device device) {
    String name = device == null ? CPU : device.getProperties().name() + " #" + device.getOrdinal();
    return kind.isEmpty() ? name : kind + " on " + name;
  }
}
