package org.vramkit.partition.scatter;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Device;
import org.vramkit.api.error.InvalidArgumentException;

/**
 * The measured throughput of devices by kind of work, from which later runs start. Store {@link
 * #toMap} to keep it across processes. Safe for any thread.
 */
public final class ThroughputHistory {
  /** The name of the CPU in keys. */
  private static final String CPU = "cpu";

  private final Map<String, Double> rates = new ConcurrentHashMap<>();

  /** Creates an empty history. */
  public ThroughputHistory() {}

  /**
   * Creates a history with the rates of another one.
   *
   * @param rates the result of {@link #toMap}
   * @throws InvalidArgumentException if a rate is not positive and finite; the message names its
   *     key
   */
  public static ThroughputHistory of(Map<String, Double> rates) {
    ThroughputHistory history = new ThroughputHistory();
    rates.forEach(
        (key, rate) -> {
          if (!(rate > 0) || Double.isInfinite(rate)) {
            throw new InvalidArgumentException(
                "the rate of '" + key + "' is " + rate + "; it must be positive and finite");
          }
          history.rates.put(key, rate);
        });
    return history;
  }

  /** Returns a copy of the rates in units per second by kind of work and device, sorted by key. */
  public Map<String, Double> toMap() {
    return new TreeMap<>(rates);
  }

  /**
   * Returns the rate of a device for a kind of work.
   *
   * @param device the device; null for the CPU
   * @return units per second; 0 if unknown
   */
  public double getRate(String kind, @Nullable Device device) {
    return rates.getOrDefault(key(kind, device), 0.0);
  }

  void put(String kind, @Nullable Device device, double rate) {
    rates.put(key(kind, device), rate);
  }

  /**
   * The key contains the model, because another machine may have a different device at this
   * ordinal.
   */
  private static String key(String kind, @Nullable Device device) {
    String name = device == null ? CPU : device.getProperties().name() + " #" + device.getOrdinal();
    return kind.isEmpty() ? name : kind + " on " + name;
  }
}
