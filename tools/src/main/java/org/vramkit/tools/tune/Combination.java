package org.vramkit.tools.tune;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;
import org.vramkit.tools.replay.Allocators;

/**
 * An allocator and its options.
 *
 * @param allocator name of the allocator, see {@link Allocators}
 * @param options options that differ from the defaults, by name
 */
public record Combination(String allocator, Map<String, String> options) {
  /** The caching allocator with default options. */
  public static final Combination DEFAULT = new Combination(Allocators.DEFAULT, Map.of());

  /** Copies the options and keeps their order. */
  public Combination {
    options = Collections.unmodifiableMap(new LinkedHashMap<>(options));
  }

  /** Returns a label: the options, or the allocator's name if there are none. */
  public String getLabel() {
    if (!options.isEmpty()) {
      return options.entrySet().stream()
          .map(option -> option.getKey() + "=" + option.getValue())
          .collect(Collectors.joining(" "));
    }
    return equals(DEFAULT) ? "defaults" : allocator;
  }

  /** Returns the expression that creates the allocator, given a variable {@code device}. */
  public String getCode() {
    return switch (allocator) {
      case "native" -> "DriverPoolAllocator.builder(device).build()";
      case "stream-ordered" -> "StreamOrderedPool.builder(device).build()";
      case "direct" -> "DirectAllocator.builder(device).build()";
      default ->
          "CachingAllocator.builder(device)"
              + options.entrySet().stream()
                  .map(option -> BuilderCall.of(option.getKey(), option.getValue()))
                  .collect(Collectors.joining())
              + ".build()";
    };
  }
}
