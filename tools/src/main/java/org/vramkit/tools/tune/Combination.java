package org.vramkit.tools.tune;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;
import org.vramkit.tools.replay.Allocators;

/**
 * An allocator with its options.
 *
 * @param allocator its name, see {@link Allocators}
 * @param options those that differ from the defaults, by name
 */
public record Combination(String allocator, Map<String, String> options) {
  /** The caching allocator as it is without any option. */
  public static final Combination DEFAULT = new Combination(Allocators.DEFAULT, Map.of());

  /** Copies the options and keeps their order. */
  public Combination {
    options = Collections.unmodifiableMap(new LinkedHashMap<>(options));
  }

  /** For people: the options, or the name of an allocator that has none. */
  public String getLabel() {
    if (!options.isEmpty()) {
      return options.entrySet().stream()
          .map(option -> option.getKey() + "=" + option.getValue())
          .collect(Collectors.joining(" "));
    }
    return equals(DEFAULT) ? "defaults" : allocator;
  }

  /** The call that makes it, to paste into a program that has a {@code device}. */
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
