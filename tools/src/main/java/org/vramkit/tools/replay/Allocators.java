package org.vramkit.tools.replay;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.device.Device;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.api.error.NotSupportedException;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.pool.caching.CachingAllocatorBuilder;
import org.vramkit.pool.direct.DirectAllocator;
import org.vramkit.pool.driverpool.DriverPoolAllocator;
import org.vramkit.pool.streamordered.StreamOrderedPool;

/** Creates allocators for replays by name. */
public final class Allocators {
  /** The default allocator. */
  public static final String DEFAULT = "caching";

  private interface Factory {
    Allocator create(ReplayTarget target, Map<String, String> options);
  }

  private interface Plain {
    Allocator create(Device device);
  }

  private static final Map<String, Factory> FACTORIES = new LinkedHashMap<>();

  static {
    FACTORIES.put(DEFAULT, Allocators::caching);
    FACTORIES.put("native", plain(device -> DriverPoolAllocator.builder(device).build()));
    FACTORIES.put("stream-ordered", plain(device -> StreamOrderedPool.builder(device).build()));
    FACTORIES.put("direct", plain(device -> DirectAllocator.builder(device).build()));
  }

  private Allocators() {}

  /** Returns the names of all allocators, the default first. */
  public static List<String> getNames() {
    return List.copyOf(FACTORIES.keySet());
  }

  /** Describes each option of the caching allocator on a line: name, values, default, meaning. */
  public static List<String> describeOptions() {
    return CachingAllocatorBuilder.getOptions().stream()
        .map(
            option ->
                option.name()
                    + "="
                    + option.unit()
                    + " (default "
                    + option.defaultValue()
                    + "): "
                    + option.description())
        .toList();
  }

  /**
   * Checks a name and options as far as possible without a device.
   *
   * @throws UsageException if the allocator is unknown, or takes no options and some are given
   */
  public static void check(String name, Map<String, String> options) {
    if (!FACTORIES.containsKey(name)) {
      throw new UsageException(
          "unknown allocator '" + name + "'; known allocators: " + String.join(", ", getNames()));
    }
    if (!name.equals(DEFAULT) && !options.isEmpty()) {
      throw new UsageException(
          "allocator '" + name + "' takes no --option; only the caching allocator does");
    }
  }

  /** Creates an allocator with options from {@code --option}. */
  static Allocator create(String name, ReplayTarget target, Map<String, String> options) {
    return create(name, target, options, "--option");
  }

  /**
   * Creates an allocator.
   *
   * @param source the command-line option that set {@code options}, as messages name it
   * @throws UsageException if the allocator or an option is unknown, a value is invalid, or the
   *     device does not support it
   */
  static Allocator create(
      String name, ReplayTarget target, Map<String, String> options, String source) {
    check(name, options);
    try {
      return Objects.requireNonNull(FACTORIES.get(name)).create(target, options);
    } catch (InvalidArgumentException e) {
      throw new UsageException(source + ": " + e.getMessage());
    } catch (DeviceOutOfMemoryException e) {
      // The initial size, an option, exceeds the device's memory.
      throw new UsageException(String.valueOf(e.getMessage()));
    } catch (NotSupportedException e) {
      throw new UsageException("allocator '" + name + "': " + e.getMessage());
    }
  }

  private static Allocator caching(ReplayTarget target, Map<String, String> options) {
    CachingAllocatorBuilder builder = configured(target.getDevice());
    options.forEach(builder::set);
    return builder.clock(target.getProgramClock()).build();
  }

  /** Applies options from properties and the environment; their errors name the source. */
  private static CachingAllocatorBuilder configured(Device device) {
    try {
      return CachingAllocator.builder(device);
    } catch (InvalidArgumentException e) {
      throw new UsageException(String.valueOf(e.getMessage()));
    }
  }

  private static Factory plain(Plain plain) {
    return (target, options) -> plain.create(target.getDevice());
  }
}
