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

/** The allocators that can be replayed through, by name. */
public final class Allocators {
  /** The one that is taken unless another is named. */
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

  /** The names, the default first. */
  public static List<String> getNames() {
    return List.copyOf(FACTORIES.keySet());
  }

  /** Every option of the caching allocator, a line each: name, values, default, meaning. */
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
   * Refuses what no device has to be opened for.
   *
   * @throws UsageException if there is no such allocator, or if it takes no options
   */
  public static void check(String name, Map<String, String> options) {
    if (!FACTORIES.containsKey(name)) {
      throw new UsageException(
          "unknown allocator '" + name + "'; known are " + String.join(", ", getNames()));
    }
    if (!name.equals(DEFAULT) && !options.isEmpty()) {
      throw new UsageException("only the caching allocator takes --option");
    }
  }

  /** Creates one, with options that were given by {@code --option}. */
  static Allocator create(String name, ReplayTarget target, Map<String, String> options) {
    return create(name, target, options, "--option");
  }

  /**
   * Creates one.
   *
   * @param source what gave the options on the command line
   * @throws UsageException if there is no such allocator, an option is unknown or does not fit, or
   *     the device lacks what is asked for
   */
  static Allocator create(
      String name, ReplayTarget target, Map<String, String> options, String source) {
    check(name, options);
    try {
      return Objects.requireNonNull(FACTORIES.get(name)).create(target, options);
    } catch (InvalidArgumentException e) {
      throw new UsageException(source + ": " + e.getMessage());
    } catch (DeviceOutOfMemoryException e) {
      // The initial size, from an option or from outside.
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

  /** With what properties and the environment say, which name themselves where it does not fit. */
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
