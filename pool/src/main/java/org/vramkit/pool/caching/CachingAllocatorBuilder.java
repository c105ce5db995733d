package org.vramkit.pool.caching;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.vramkit.api.allocator.AllocatorOutOfMemoryException;
import org.vramkit.api.device.Capability;
import org.vramkit.api.device.Device;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.api.error.NotSupportedException;
import org.vramkit.api.units.ByteSize;
import org.vramkit.pool.caching.internal.heap.PollBudget;
import org.vramkit.pool.caching.internal.option.CachingAllocatorOptions;
import org.vramkit.pool.caching.internal.option.RoundingDivisions;
import org.vramkit.pool.caching.internal.option.SizeRules;

/**
 * Settings of a {@link CachingAllocator}. The defaults are meant to stay: an option says when to
 * touch it. Each can be set by its method, or as text by {@link #set} under its name in kebab case.
 * Not safe for threads.
 */
public final class CachingAllocatorBuilder {
  private static final System.Logger LOGGER =
      System.getLogger(CachingAllocatorBuilder.class.getName());

  static final Duration LONGEST_DECAY = Duration.ofDays(10_000);

  private final Device device;
  private VirtualMemoryUse virtualMemory = VirtualMemoryUse.AUTO;
  private List<Device> accessors = List.of();
  private long limit = Long.MAX_VALUE;
  private long initial;
  private long threadCache = 4 * ByteSize.MIB;
  private StealPolicy steal = StealPolicy.WHEN_IDLE;
  private int polls = PollBudget.POLLS_FOR_CHUNK;
  private double moveTime = 0.005;
  private Duration decay = Duration.ZERO;
  private LongSupplier clock = CachingAllocatorOptions.SYSTEM_CLOCK;
  private RoundingDivisions roundingDivisions = RoundingDivisions.NONE;
  private OutOfMemoryHandler outOfMemoryHandler = OutOfMemoryHandler.NONE;
  private long historyBytes;
  private boolean historyStacks;
  private LeakDetection leakDetection = LeakDetection.SAMPLED;
  private LeakListener leakListener = LeakListener.NONE;
  private Duration heldTooLong = Duration.ZERO;

  /** What was set from outside of the program. */
  private CachingAllocatorOptions outside;

  CachingAllocatorBuilder(Device device) {
    this.device = Objects.requireNonNull(device, "device");
    this.outside = options();
  }

  /** What was set so far was set from outside of the program. */
  CachingAllocatorBuilder begunOutside() {
    outside = options();
    return this;
  }

  Device device() {
    return device;
  }

  /** Every option with its unit, default and meaning, in the order of importance. */
  public static List<AllocatorOption> getOptions() {
    return NamedOptions.list();
  }

  /**
   * Sets an option by its name.
   *
   * @param name as in {@link #getOptions}
   * @param value as text
   * @throws InvalidArgumentException if there is no such option, naming those there are, or if the
   *     value does not fit
   */
  public CachingAllocatorBuilder set(String name, String value) {
    NamedOptions.set(
        this, Objects.requireNonNull(name, "name"), Objects.requireNonNull(value, "value"));
    return this;
  }

  private static void check(boolean ok, String message) {
    if (!ok) {
      throw new InvalidArgumentException(message);
    }
  }

  private static double fraction(String name, double value) {
    check(value >= 0 && value <= 1, name + " must be from 0 to 1, not " + value);
    return value;
  }

  private static long size(String name, long bytes) {
    check(bytes >= 0, name + " must not be negative: " + bytes);
    return bytes;
  }

  /** What kind of memory to build on; default {@link VirtualMemoryUse#AUTO}. */
  public CachingAllocatorBuilder virtualMemory(VirtualMemoryUse use) {
    virtualMemory = Objects.requireNonNull(use, "use");
    return this;
  }

  /**
   * Which other devices may touch the memory, as peers; default none. Over virtual memory each page
   * is opened to them when it is mapped, which costs one driver call more for each device, and no
   * {@link org.vramkit.api.device.PeerAccess#enable} is needed. Without virtual memory that decides
   * alone, and this does nothing.
   *
   * @param others of the same backend; the allocator's own may be among them
   * @throws InvalidArgumentException if one is of another backend
   */
  public CachingAllocatorBuilder accessibleFrom(Device... others) {
    for (Device other : Objects.requireNonNull(others, "others")) {
      Objects.requireNonNull(other, "other");
      check(
          other.getBackend() == device.getBackend(),
          "memory of device "
              + device.getOrdinal()
              + " of backend "
              + device.getBackend().getName()
              + " cannot be accessible from device "
              + other.getOrdinal()
              + " of another backend, "
              + other.getBackend().getName());
    }
    accessors = Stream.of(others).filter(other -> !other.equals(device)).distinct().toList();
    return this;
  }

  /**
   * Upper bound of the reserved bytes.
   *
   * @param bytes not negative; {@link Long#MAX_VALUE}, the default, for no limit
   */
  public CachingAllocatorBuilder limit(long bytes) {
    limit = size("limit", bytes);
    return this;
  }

  /**
   * Memory that is taken when the allocator is made, so that a program's first requests find it
   * there. It goes back as any other that is free: by a trim, or as it decays. With virtual memory
   * only.
   *
   * @param bytes default 0; at most 1 EiB
   */
  public CachingAllocatorBuilder initial(long bytes) {
    check(
        bytes >= 0 && bytes <= SizeRules.MAX_REQUEST,
        "initial must be from 0 to 1 EiB, not " + ByteSize.formatExact(bytes));
    initial = bytes;
    return this;
  }

  /**
   * Capacity of a thread cache. There is one for each stream and group of threads.
   *
   * @param bytes default 4 MiB; 0 turns it off
   */
  public CachingAllocatorBuilder threadCache(long bytes) {
    threadCache = size("thread-cache", bytes);
    return this;
  }

  /** When memory freed on one stream may serve another; default {@link StealPolicy#WHEN_IDLE}. */
  public CachingAllocatorBuilder steal(StealPolicy policy) {
    steal = Objects.requireNonNull(policy, "policy");
    return this;
  }

  /**
   * For tests: how often, for each chunk that would be created, the streams are polled before.
   *
   * @param count default {@link PollBudget#POLLS_FOR_CHUNK}; 0 never polls
   */
  CachingAllocatorBuilder polls(int count) {
    polls = count;
    return this;
  }

  /**
   * The share of the program's elapsed time that may go into moving free memory to where it is
   * wanted; as much may go into asking streams whether memory that they freed may be used. A
   * millisecond and half of what growth took so far, at most 50 ms, may be spent at once on moves,
   * 1 ms in one call. While some is left, growth moves free memory before it takes more; then it
   * takes more from the driver, as long as the limit and the device allow, and moves memory before
   * it fails.
   *
   * <p>With 0 memory moves only where it would run out, or where more than twice the peak of live
   * bytes and 64 MiB would be reserved. With 1 all free memory moves before more is taken: reserved
   * memory is least, and a program that changes its sizes all the time may spend a tenth of its
   * time on it.
   *
   * <p>Segments cannot move: they go back before more is taken.
   *
   * @param share from 0 to 1; default 0.005
   */
  public CachingAllocatorBuilder moveTime(double share) {
    moveTime = fraction("move-time", share);
    return this;
  }

  /**
   * Idle time after which free memory goes back to the driver; a growing part of it goes before,
   * see {@link CachingAllocator#decay}. For programs that share a device: memory that goes back and
   * is wanted again costs some 40 us of driver time for each 2 MiB, once per window at most.
   * jemalloc takes 10 s by default, which is a good start here too.
   *
   * @param idleTime at most 10,000 days; {@link Duration#ZERO}, the default, keeps everything until
   *     it is trimmed
   */
  public CachingAllocatorBuilder decay(Duration idleTime) {
    Objects.requireNonNull(idleTime, "idleTime");
    check(
        !idleTime.isNegative() && idleTime.compareTo(LONGEST_DECAY) <= 0,
        "decay must be from 0 to "
            + LONGEST_DECAY.toDays()
            + " days, not "
            + idleTime.toSeconds()
            + " s");
    decay = idleTime;
    return this;
  }

  /**
   * The clock of {@link #decay} and {@link #moveTime}; default {@link System#nanoTime}. For
   * programs that run in virtual time, and for tests.
   *
   * @param nanos answers nanoseconds from any beginning, which never become fewer; for any thread.
   *     It is asked in the middle of an allocation: it must not throw, wait, or use the allocator
   */
  public CachingAllocatorBuilder clock(LongSupplier nanos) {
    clock = Objects.requireNonNull(nanos, "nanos");
    return this;
  }

  /**
   * Rounds sizes up to steps between powers of two.
   *
   * @param text {@code none}, the default; a power of two for all sizes; or a list such as {@code
   *     64:8,256:2}, from how many MiB on and how many steps
   */
  public CachingAllocatorBuilder roundingDivisions(String text) {
    roundingDivisions = RoundingDivisions.parse(Objects.requireNonNull(text, "text"));
    return this;
  }

  /**
   * Who is asked before an allocation fails; default nobody. {@link
   * CachingAllocator#setOutOfMemoryHandler} changes it later.
   */
  public CachingAllocatorBuilder outOfMemoryHandler(OutOfMemoryHandler handler) {
    outOfMemoryHandler = Objects.requireNonNull(handler, "handler");
    return this;
  }

  /**
   * Keeps the latest events for {@link CachingAllocator#getHistory}. An event takes some 8 bytes
   * and some 50 ns. Beside these, each group of threads that allocates on a stream has a table for
   * the encoding, of up to 40 KiB.
   *
   * @param bytes of the JVM's memory for encoded events, from 64 KiB on; 0, the default, keeps none
   */
  public CachingAllocatorBuilder history(long bytes) {
    check(
        bytes == 0 || bytes >= CachingAllocatorOptions.LEAST_HISTORY,
        "history must be 0 or at least 64 KiB, not " + ByteSize.formatExact(bytes));
    historyBytes = bytes;
    return this;
  }

  /**
   * Whether events of the history have the stack of who called, at most 16 frames; default false.
   * Takes a microsecond and more for each. Needs a {@link #history}: without one {@link #build}
   * refuses it.
   */
  public CachingAllocatorBuilder historyStacks(boolean enabled) {
    historyStacks = enabled;
    return this;
  }

  /**
   * Which allocations are watched for being dropped without a close; default {@link
   * LeakDetection#SAMPLED}. What is found is logged as a warning by the next allocation that is
   * watched or misses the caches. Its memory stays taken. The system property {@code
   * vramkit.leak-detection} sets the default: off, sampled, stacks or all.
   */
  public CachingAllocatorBuilder leakDetection(LeakDetection level) {
    leakDetection = Objects.requireNonNull(level, "level");
    return this;
  }

  /** Who hears of leaks beside the log; default nobody. */
  public CachingAllocatorBuilder leakListener(LeakListener listener) {
    leakListener = Objects.requireNonNull(listener, "listener");
    return this;
  }

  /**
   * How long an allocation may be held until it is told of, once, as leaks are. Of those that
   * {@link #leakDetection} watches, so with {@link LeakDetection#ALL} of all.
   *
   * @param time at most 10,000 days; {@link Duration#ZERO}, the default, for any time
   */
  public CachingAllocatorBuilder heldTooLong(Duration time) {
    Objects.requireNonNull(time, "time");
    check(
        !time.isNegative() && time.compareTo(LONGEST_DECAY) <= 0,
        "held-too-long must be from 0 to "
            + LONGEST_DECAY.toDays()
            + " days, not "
            + time.toSeconds()
            + " s");
    heldTooLong = time;
    return this;
  }

  /**
   * The allocator. Takes no memory yet but what is {@link #initial} there.
   *
   * <p>An option that does nothing on the memory that the allocator is built on is refused where
   * that memory was chosen. Where it was not, or where the program chose it and the option comes
   * from outside, a warning is logged: the same settings may be meant for others too.
   *
   * @throws NotSupportedException if virtual memory is asked for and the device lacks it
   * @throws InvalidArgumentException if an option is set that does nothing on the chosen memory, or
   *     if the history is to have stacks and there is none
   * @throws org.vramkit.api.error.DeviceOutOfMemoryException if the device or the limit has too
   *     little for what is to be there at first
   */
  public CachingAllocator build() {
    check(
        historyBytes > 0 || !historyStacks,
        "historyStacks asks for the stacks of events, but history is 0 and keeps none: set history"
            + " too, to 16 MiB for example, or leave historyStacks out");
    boolean has = device.supports(Capability.VIRTUAL_MEMORY);
    if (virtualMemory == VirtualMemoryUse.ON && !has) {
      throw new NotSupportedException(
          "virtual memory is asked for, but device "
              + device.getOrdinal()
              + " of backend "
              + device.getBackend().getName()
              + " has none; use virtual-memory auto or off");
    }
    boolean pages = has && virtualMemory != VirtualMemoryUse.OFF;
    CachingAllocatorOptions options = options();
    checkEffects(pages, options.withoutEffect(pages));
    CachingAllocator allocator = new CachingAllocator(device, pages, options);
    if (pages && initial > 0) {
      begin(allocator);
    }
    return allocator;
  }

  private void begin(CachingAllocator allocator) {
    boolean begun = false;
    try {
      allocator.reserve(initial);
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

  private void checkEffects(boolean pages, List<String> without) {
    String end = " nothing " + (pages ? "over" : "without") + " virtual memory";
    List<String> refused = new ArrayList<>(without);
    if (virtualMemory != outside.virtualMemory()) {
      refused.removeAll(outside.withoutEffect(pages));
    }
    if (virtualMemory != VirtualMemoryUse.AUTO && !refused.isEmpty()) {
      throw new InvalidArgumentException(
          doing(refused)
              + end
              + ": leave it out, or choose virtual-memory "
              + (pages ? "off" : "on"));
    }
    if (!without.isEmpty()) {
      LOGGER.log(
          System.Logger.Level.WARNING,
          () ->
              doing(without)
                  + end
                  + (virtualMemory == VirtualMemoryUse.AUTO
                      ? ", which device " + device.getOrdinal() + (pages ? " has" : " lacks")
                      : ", which the program chose"));
    }
  }

  private static String doing(List<String> options) {
    return String.join(", ", options) + (options.size() == 1 ? " does" : " do");
  }

  /** What was set so far. */
  CachingAllocatorOptions options() {
    return new CachingAllocatorOptions(
        virtualMemory,
        accessors,
        limit,
        initial,
        threadCache,
        steal,
        polls,
        moveTime,
        decay,
        clock,
        roundingDivisions,
        outOfMemoryHandler,
        historyBytes,
        historyStacks,
        leakDetection,
        leakListener,
        heldTooLong);
  }
}
