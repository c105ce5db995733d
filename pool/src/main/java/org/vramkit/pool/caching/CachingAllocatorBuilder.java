package org.vramkit.pool.caching;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.vramkit.api.allocator.AllocatorOutOfMemoryException;
import org.vramkit.api.device.Capability;
import org.vramkit.api.device.Device;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.api.error.NotSupportedException;
import org.vramkit.pool.caching.internal.option.CachingAllocatorOptions;
import org.vramkit.pool.caching.internal.option.Option;
import org.vramkit.pool.caching.internal.option.OptionText;
import org.vramkit.pool.caching.internal.option.RoundingDivisions;
import org.vramkit.pool.support.Streams;
import org.vramkit.pool.support.UserClock;

/**
 * Builds a {@link CachingAllocator}. The defaults suit most programs; the description of an option
 * says when to change it. Options can be set by method, or as text by {@link #set} under their
 * names in kebab case. Not thread-safe.
 */
public final class CachingAllocatorBuilder {
  private final Device device;
  private CachingAllocatorOptions options = CachingAllocatorOptions.DEFAULT;

  /** The options set from outside of the program. */
  private CachingAllocatorOptions outside = options;

  /** The source of each option that was set from outside, by the option's name. */
  private final Map<String, String> sources = new LinkedHashMap<>();

  /** The sources whose override was logged, once in this JVM. */
  private static final Set<String> OVERRIDDEN = ConcurrentHashMap.newKeySet();

  CachingAllocatorBuilder(Device device) {
    this.device = Objects.requireNonNull(device, "device");
  }

  /** Sets an option from outside of the program, such as by a system property. */
  void setFrom(String source, String name, String value) {
    try {
      set(name, value);
    } catch (InvalidArgumentException e) {
      throw new InvalidArgumentException(source + ": " + e.getMessage());
    }
    sources.put(name, source);
  }

  /** Marks the options set so far as set from outside of the program. */
  CachingAllocatorBuilder begunOutside() {
    outside = options;
    return this;
  }

  /** Returns all options with their units, defaults and descriptions, the most important first. */
  public static List<AllocatorOption> getOptions() {
    return OptionText.list();
  }

  /**
   * Sets an option by its name.
   *
   * @param name a name of {@link #getOptions}
   * @param value the value as text
   * @throws InvalidArgumentException if the name or value is invalid; the message says what is
   *     valid
   */
  public CachingAllocatorBuilder set(String name, String value) {
    Objects.requireNonNull(name, "name");
    options = OptionText.set(options, device, name, Objects.requireNonNull(value, "value"));
    return this;
  }

  private static void check(boolean ok, String message) {
    if (!ok) {
      throw new InvalidArgumentException(message);
    }
  }

  private <T> CachingAllocatorBuilder with(Option<T> option, T value) {
    options = options.with(option, value);
    return this;
  }

  /** Selects the kind of memory; default {@link VirtualMemoryUse#AUTO}. */
  public CachingAllocatorBuilder virtualMemory(VirtualMemoryUse use) {
    return with(Option.VIRTUAL_MEMORY, Objects.requireNonNull(use, "use"));
  }

  /**
   * Gives other devices access to the memory, as peers; default none. With virtual memory, {@link
   * org.vramkit.api.device.PeerAccess#enable} is not needed. Without virtual memory {@code
   * PeerAccess} decides, and {@link #build} refuses this option or logs a warning.
   *
   * @param others devices of the same backend; the allocator's own is ignored
   * @throws InvalidArgumentException if a device is of another backend
   */
  public CachingAllocatorBuilder accessibleFrom(Device... others) {
    return with(Option.ACCESSIBLE_FROM, Streams.peersOf(device, others));
  }

  /**
   * Limits the reserved bytes.
   *
   * @param bytes not negative; {@link Long#MAX_VALUE}, the default, for no limit
   */
  public CachingAllocatorBuilder limit(long bytes) {
    return with(Option.LIMIT, bytes);
  }

  /**
   * Reserves memory when the allocator is built, for the first requests of a program. A trim or
   * decay returns this memory to the driver like any free memory. Requires virtual memory.
   *
   * @param bytes at most 1 EiB; default 0
   */
  public CachingAllocatorBuilder initial(long bytes) {
    return with(Option.INITIAL, bytes);
  }

  /**
   * Sets the capacity of a thread cache. Each stream has several thread caches, and a thread uses
   * one of them.
   *
   * @param bytes default 4 MiB; 0 disables thread caches
   */
  public CachingAllocatorBuilder threadCache(long bytes) {
    return with(Option.THREAD_CACHE, bytes);
  }

  /**
   * Sets when memory freed on one stream may serve another; default {@link StealPolicy#WHEN_IDLE}.
   */
  public CachingAllocatorBuilder steal(StealPolicy policy) {
    return with(Option.STEAL, Objects.requireNonNull(policy, "policy"));
  }

  /**
   * Sets how often streams are polled for each chunk that would be created; for tests.
   *
   * @param count default 16; 0 never polls
   */
  CachingAllocatorBuilder polls(int count) {
    return with(Option.POLLS, count);
  }

  /**
   * Sets the share of elapsed time for moving free memory to addresses where it is needed. In
   * advance, moves may use 1 ms plus half of the time of growth so far, at most 50 ms. One call
   * uses at most 1 ms. Within this budget, growth moves free memory before it takes more from the
   * driver. Beyond the budget, growth takes memory from the driver as long as the limit and the
   * device allow, and moves memory only before an allocation would fail.
   *
   * <p>With 0, memory moves only if it would run out, or if more than twice the peak of live bytes
   * plus 64 MiB would be reserved. With 1, all free memory moves before more is taken. Reserved
   * memory is then minimal, at any cost of time.
   *
   * <p>Without virtual memory, segments cannot move. Free segments return to the driver before more
   * memory is taken.
   *
   * @param share from 0 to 1; default 0.005
   */
  public CachingAllocatorBuilder moveTime(double share) {
    return with(Option.MOVE_TIME, share);
  }

  /**
   * Sets the idle time after which free memory returns to the driver. A growing share returns
   * earlier, as {@link CachingAllocator#decay} describes. Set it for programs that share a device.
   * Memory that is needed again costs some 40 us of driver time for each 2 MiB. 10 s, the default
   * of jemalloc, is a good start.
   *
   * @param idleTime at most 10,000 days; {@link Duration#ZERO}, the default, disables decay
   */
  public CachingAllocatorBuilder decay(Duration idleTime) {
    return with(Option.DECAY, Objects.requireNonNull(idleTime, "idleTime"));
  }

  /**
   * Sets the clock of {@link #decay} and {@link #moveTime}; default {@link System#nanoTime}. Meant
   * for programs in virtual time and for tests.
   *
   * @param nanos returns monotonic nanoseconds, on any thread; called here once and within
   *     allocations, so it must not block or use the allocator; if it throws later, the time stands
   *     still, and the failure is logged
   */
  public CachingAllocatorBuilder clock(LongSupplier nanos) {
    return with(Option.CLOCK, new UserClock(Objects.requireNonNull(nanos, "nanos")));
  }

  /**
   * Rounds sizes up to equal steps between powers of two.
   *
   * @param text {@code none}, the default; a number of steps, a power of two, for all sizes; or a
   *     list such as {@code 64:8,256:2} of thresholds in MiB and numbers of steps. With one step,
   *     and below the first threshold, sizes are not rounded
   */
  public CachingAllocatorBuilder roundingDivisions(String text) {
    Objects.requireNonNull(text, "text");
    return with(Option.ROUNDING_DIVISIONS, RoundingDivisions.parse(text));
  }

  /**
   * Sets a handler that is called before an allocation fails; default none. {@link
   * CachingAllocator#setOutOfMemoryHandler} changes it later.
   */
  public CachingAllocatorBuilder outOfMemoryHandler(OutOfMemoryHandler handler) {
    return with(Option.OUT_OF_MEMORY_HANDLER, Objects.requireNonNull(handler, "handler"));
  }

  /**
   * Keeps the latest events for {@link CachingAllocator#getHistory}. An event takes 48 bytes and
   * some 50 ns.
   *
   * @param bytes maximum bytes of the Java heap for events, at least 64 KiB; 0, the default, keeps
   *     none
   */
  public CachingAllocatorBuilder history(long bytes) {
    return with(Option.HISTORY, new Option.History(bytes, bytes != 0 && history().stacks()));
  }

  /**
   * Keeps the stack of the caller with each event of the history, at most 16 frames; default false.
   * Recording a stack takes a microsecond or more. {@link #build} fails if {@link #history} is 0.
   */
  public CachingAllocatorBuilder historyStacks(boolean enabled) {
    return with(Option.HISTORY, new Option.History(history().bytes(), enabled));
  }

  /**
   * Sets which allocations are tracked, in order to report handles that were dropped without a
   * close; default {@link LeakDetection#SAMPLED}. A leak is logged as a warning by the next
   * allocation that is tracked or searches the heap. The memory of a leak stays allocated. The
   * system property {@code vramkit.leak-detection} sets the default: off, sampled, stacks or all.
   */
  public CachingAllocatorBuilder leakDetection(LeakDetection level) {
    return with(Option.LEAK_DETECTION, Objects.requireNonNull(level, "level"));
  }

  /** Sets a listener for leaks, beside the log; default none. */
  public CachingAllocatorBuilder leakListener(LeakListener listener) {
    return with(Option.LEAK_LISTENER, Objects.requireNonNull(listener, "listener"));
  }

  private Option.History history() {
    return options.get(Option.HISTORY);
  }

  /**
   * Builds the allocator. Reserves only the {@link #initial} memory.
   *
   * <p>An option that has no effect on the chosen kind of memory is an error if the program set
   * both. A warning is logged instead if the kind was chosen automatically, or if the program chose
   * the kind and the option comes from a property or the environment, because such settings may be
   * shared with other programs.
   *
   * @throws NotSupportedException if virtual memory was requested and the device lacks it
   * @throws InvalidArgumentException if an option has no effect on the chosen memory, or stacks are
   *     requested without a history
   * @throws org.vramkit.api.error.DeviceOutOfMemoryException if the device or the limit has too
   *     little for the initial memory
   */
  public CachingAllocator build() {
    check(
        history().bytes() > 0 || !history().stacks(),
        "historyStacks is set, but history is 0, so no events are kept; set history too, such as"
            + " 16 MiB, or leave historyStacks out");
    boolean has = device.supports(Capability.VIRTUAL_MEMORY);
    VirtualMemoryUse use = options.get(Option.VIRTUAL_MEMORY);
    if (use == VirtualMemoryUse.ON && !has) {
      throw new NotSupportedException(
          "virtual memory was requested, but device "
              + device.getOrdinal()
              + " of backend "
              + device.getBackend().getName()
              + " has none; use virtual-memory auto or off");
    }
    boolean pages = has && use != VirtualMemoryUse.OFF;
    if (!pages) {
      checkEffect("initial", Option.INITIAL);
      checkEffect("accessible-from", Option.ACCESSIBLE_FROM);
    }
    logOverridden();
    CachingAllocator allocator = new CachingAllocator(device, pages, options);
    if (pages && options.get(Option.INITIAL) > 0) {
      begin(allocator);
    }
    return allocator;
  }

  /** Logs once for each option set from outside that the program has set to another value. */
  private void logOverridden() {
    for (Map.Entry<String, String> each : sources.entrySet()) {
      String name = each.getKey();
      String source = each.getValue();
      Option<?> option = Objects.requireNonNull(Option.named(name), name);
      boolean isOverridden = !outside.get(option).equals(options.get(option));
      if (isOverridden && OVERRIDDEN.add(source + name)) {
        System.getLogger(CachingAllocatorBuilder.class.getName())
            .log(
                System.Logger.Level.INFO,
                "the program sets the option "
                    + name
                    + " itself, which takes precedence over the "
                    + source);
      }
    }
  }

  private void begin(CachingAllocator allocator) {
    boolean begun = false;
    try {
      allocator.pools().main.reserve(options.get(Option.INITIAL));
      begun = true;
    } catch (AllocatorOutOfMemoryException e) {
      throw new AllocatorOutOfMemoryException(
          "option initial: " + e.getMessage(), e.getReport(), e.getStatus(), e);
    } finally {
      if (!begun) {
        allocator.close();
      }
    }
  }

  /** Refuses an option without effect on segments, or logs it if other programs may share it. */
  private void checkEffect(String name, Option<?> option) {
    if (options.isDefault(option)) {
      return;
    }
    VirtualMemoryUse use = options.get(Option.VIRTUAL_MEMORY);
    String problem = name + " does nothing without virtual memory";
    boolean auto = use == VirtualMemoryUse.AUTO;
    boolean shared = use != outside.get(Option.VIRTUAL_MEMORY) && !outside.isDefault(option);
    if (!auto && !shared) {
      throw new InvalidArgumentException(problem + ": leave it out, or choose virtual-memory on");
    }
    System.getLogger(CachingAllocatorBuilder.class.getName())
        .log(
            System.Logger.Level.WARNING,
            problem
                + (auto
                    ? ", which device " + device.getOrdinal() + " lacks"
                    : ", which the program chose"));
  }

  CachingAllocatorOptions options() {
    return options;
  }
}
