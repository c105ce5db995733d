package org.vramkit.tools.tune;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.vramkit.tools.replay.Allocators;

/**
 * Generates the combinations to try: values of the options that affect memory or time, over virtual
 * memory and over segments, and the other allocators. A user's values for an option replace the
 * built-in ones and are combined with all others.
 */
public final class Grid {
  // The default, no caches, and large caches.
  private static final List<String> CACHE_SIZES = List.of("", "0", "64MiB");
  private static final List<String> ROUNDING = List.of("", "4", "8");
  private static final List<String> STEAL = List.of("never", "with-wait");

  private Grid() {}

  /**
   * Returns the combinations for a program, the defaults first.
   *
   * @param streams number of the program's streams; with one, {@code steal} is not tried
   * @param named values by option, which replace the built-in ones
   */
  public static List<Combination> combinations(int streams, Map<String, List<String>> named) {
    Set<Combination> all = new LinkedHashSet<>();
    all.add(Combination.DEFAULT);
    for (Map<String, String> options : expanded(builtIn(streams, named.keySet()), named)) {
      all.add(new Combination(Allocators.DEFAULT, options));
    }
    Allocators.getNames().forEach(name -> all.add(new Combination(name, Map.of())));
    return List.copyOf(all);
  }

  /**
   * Returns an upper bound of the number of {@link #combinations}, without creating them; at most
   * {@link Long#MAX_VALUE}.
   */
  public static long count(int streams, Map<String, List<String>> named) {
    BigInteger count = BigInteger.valueOf(builtIn(streams, named.keySet()).size());
    for (List<String> values : named.values()) {
      count = count.multiply(BigInteger.valueOf(values.stream().distinct().count()));
    }
    return count.min(BigInteger.valueOf(Long.MAX_VALUE)).longValueExact();
  }

  /** Returns the built-in combinations without the options in {@code named}. */
  private static Set<Map<String, String>> builtIn(int streams, Set<String> named) {
    List<Map<String, String>> tried = new ArrayList<>();
    List<Map<String, String>> grounds = new ArrayList<>();
    for (String share : List.of("", "0", "0.02", "0.1", "1")) {
      grounds.add(with(Map.of(), "move-time", share));
    }
    grounds.add(Map.of("virtual-memory", "off"));
    for (Map<String, String> ground : grounds) {
      for (String rounding : ROUNDING) {
        for (String size : CACHE_SIZES) {
          tried.add(with(with(ground, "rounding-divisions", rounding), "thread-cache", size));
        }
      }
      if (streams > 1) {
        STEAL.forEach(policy -> tried.add(with(ground, "steal", policy)));
      }
    }
    tried.forEach(options -> options.keySet().removeAll(named));
    return new LinkedHashSet<>(tried);
  }

  private static List<Map<String, String>> expanded(
      Set<Map<String, String>> tried, Map<String, List<String>> named) {
    List<Map<String, String>> all = List.copyOf(tried);
    for (Map.Entry<String, List<String>> option : named.entrySet()) {
      List<Map<String, String>> next = new ArrayList<>();
      for (Map<String, String> options : all) {
        for (String value : option.getValue()) {
          next.add(with(options, option.getKey(), value));
        }
      }
      all = next;
    }
    return all;
  }

  private static Map<String, String> with(Map<String, String> options, String name, String value) {
    Map<String, String> more = new LinkedHashMap<>(options);
    if (!value.isEmpty()) {
      more.put(name, value);
    }
    return more;
  }
}
