package org.vramkit.sim;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Backend;
import org.vramkit.api.device.Capability;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.PinnedBuffer;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.api.error.NotSupportedException;
import org.vramkit.api.units.Count;
import org.vramkit.sim.check.AccessChecker.Peers;
import org.vramkit.sim.check.Checker;
import org.vramkit.sim.driver.CostModel;
import org.vramkit.sim.driver.DriverCallLog;
import org.vramkit.sim.driver.FaultInjector;
import org.vramkit.sim.driver.FaultPlan;
import org.vramkit.sim.hazard.CheckerOptions;
import org.vramkit.sim.hazard.HazardReport;
import org.vramkit.sim.hazard.Leak;
import org.vramkit.sim.hazard.LeakReport;
import org.vramkit.sim.hazard.RunId;
import org.vramkit.sim.memory.AddressSpace;
import org.vramkit.sim.recording.CallRecorder;
import org.vramkit.sim.schedule.Schedule;
import org.vramkit.sim.schedule.ScheduleSearch;
import org.vramkit.sim.timeline.Point;
import org.vramkit.sim.timeline.Timeline;

/**
 * Simulated GPUs in virtual time, with a checker for the order of all accesses to their memory. The
 * simulator is deterministic: the same program with the same seed behaves the same. Safe for any
 * thread.
 */
public final class SimBackend implements Backend {
  /** The name that selects the simulator. */
  public static final String NAME = "sim";

  /** The system property with the seed of backends that are built without a seed. */
  public static final String SEED_PROPERTY = "vramkit.seed";

  /** The system property that makes backends reuse freed addresses at once, as drivers do. */
  public static final String REUSE_ADDRESSES_PROPERTY = "vramkit.sim.reuse-addresses";

  private final Engine engine;
  private final List<SimDevice> devices;
  private final Schedule schedule;
  private final @Nullable Consumer<SimBackend> closeListener;

  /** Tells whether the scope that lent the backend is open; null if no scope has lent it. */
  private volatile @Nullable BooleanSupplier borrowed;

  private SimBackend(Builder builder) {
    List<SimDevice> made = new ArrayList<>();
    this.devices = made;
    this.schedule = builder.schedule;
    this.closeListener = builder.closeListener;
    Captures captures = new Captures();
    CurrentDevice current = new CurrentDevice();
    AddressSpace space = new AddressSpace(!builder.reuseAddresses);
    RunId run = new RunId(builder.seed, builder.schedule.getName());
    this.engine =
        new Engine(
            builder.seed,
            builder.bytes,
            builder.costs,
            Timeline.of(builder.schedule, builder.seed),
            builder.patience,
            builder.recorder,
            captures::requireSafe,
            space,
            new Checker(builder.checker, space, peers(), run));
    List<DeviceProfile> profiles =
        builder.profiles.isEmpty() ? List.of(DeviceProfile.H200) : builder.profiles;
    List<DeviceCore> cores = new ArrayList<>();
    for (DeviceProfile profile : profiles) {
      made.add(new SimDevice(this, engine, captures, current, cores, profile));
    }
    engine.kernelSteps = builder.kernelSteps;
    engine.faults.inject(builder.faults);
  }

  private Peers peers() {
    return new Peers() {
      @Override
      public boolean isPossible(int device, int owner) {
        return devices.get(device).supports(Capability.PEER_ACCESS)
            && devices.get(owner).supports(Capability.PEER_ACCESS);
      }

      @Override
      public boolean isEnabled(int device, int owner) {
        return devices.get(device).isPeerEnabled(owner);
      }
    };
  }

  /** Returns a builder. If no device is added, the simulator has one H200. */
  public static Builder builder() {
    return new Builder();
  }

  @Override
  public String getName() {
    return NAME;
  }

  @Override
  public List<Device> getDevices() {
    return List.copyOf(devices);
  }

  @Override
  public SimDevice getDevice(int ordinal) {
    if (ordinal < 0 || ordinal >= devices.size()) {
      throw new InvalidArgumentException(
          ("no device %s: the simulator has %s, numbered from 0; add devices by device(profile)"
                  + " of its builder or, for Backends.open(), by the property %s")
              .formatted(ordinal, devices.size(), SimBackendProvider.DEVICES_PROPERTY));
    }
    return devices.get(ordinal);
  }

  /** Returns the seed of all random choices. */
  public long getSeed() {
    return engine.seed;
  }

  /** Returns the order in which queued work runs. */
  public Schedule getSchedule() {
    return schedule;
  }

  /** Returns the options of the checker. */
  public CheckerOptions getCheckerOptions() {
    return engine.checker.options;
  }

  /** Returns whether simulated memory holds bytes. */
  public boolean hasBytes() {
    return engine.bytes;
  }

  /** Returns the choices of a {@linkplain Schedule#chosen chosen} schedule; empty on others. */
  public List<ScheduleSearch.Choice> getChoices() {
    return locked(engine.timeline::choices);
  }

  /** Returns the host's virtual time in nanoseconds since the backend was created. */
  public long getTimeNanos() {
    return locked(engine.timeline::now);
  }

  /**
   * Advances virtual time. Work whose duration has elapsed is then complete, on every schedule.
   *
   * @param nanos the new time; a time in the past changes nothing. Virtual time ends 2^63 - 2 ns
   *     after its start, some 292 years, which also limits later times
   */
  public void advanceTo(long nanos) {
    engine.recording.perform(
        "advance",
        step -> {
          long now = engine.timeline.now();
          step.value(nanos <= now ? 0 : nanos - now);
        },
        () -> {
          engine.requireOpen();
          engine.timeline.pass(nanos);
        });
  }

  /** Advances virtual time by a number of nanoseconds, not negative, as {@link #advanceTo} does. */
  public void advance(long nanos) {
    if (nanos < 0) {
      throw new InvalidArgumentException("time does not run backwards: " + nanos + " ns");
    }
    engine.recording.perform(
        "advance",
        step -> step.value(nanos),
        () -> {
          engine.requireOpen();
          engine.timeline.pass(Point.after(engine.timeline.now(), nanos));
        });
  }

  /** Returns a hash of the calls, their order and their times. */
  public long getTraceHash() {
    return locked(engine::traceHash);
  }

  /**
   * Declares that the calling thread reads page-locked bytes now, so that the read is checked
   * exactly. The simulator cannot see accesses through Java views.
   */
  public void hostReads(PinnedBuffer buffer, long offset, long bytes) {
    Objects.requireNonNull(buffer, "buffer");
    SimPinnedBuffer.of(buffer, engine).hostReads(offset, bytes);
  }

  /**
   * Declares that the calling thread writes page-locked bytes now, so that the write is checked
   * exactly.
   */
  public void hostWrites(PinnedBuffer buffer, long offset, long bytes) {
    Objects.requireNonNull(buffer, "buffer");
    SimPinnedBuffer.of(buffer, engine).hostWrites(offset, bytes);
  }

  /** Creates a hand-off between host threads, for a pedantic checker. */
  public HandOff newHandOff() {
    return HandOff.create(engine);
  }

  /** Returns the hazards found, up to the limit of the checker's options. */
  public List<HazardReport> getHazards() {
    return locked(engine.checker::getHazards);
  }

  /**
   * Returns the warnings: calls that are legal but probably wrong, and calls that an exception
   * refused.
   */
  public List<HazardReport> getWarnings() {
    return locked(engine.checker.reports::getWarnings);
  }

  /**
   * Returns the number of hazards found, including those beyond the limit of the checker's options.
   */
  public long getHazardCount() {
    return locked(engine.checker::getCount);
  }

  /** Removes the hazards found so far. */
  public void clearHazards() {
    engine.recording.performUnrecorded(engine.checker.reports::clear);
  }

  /** Returns everything that is still open, in the order of creation. */
  public List<Leak> getLeaks() {
    return locked(() -> engine.openHandles.list(engine::isLost));
  }

  /** Returns {@link #getLeaks} with counts, as text and as JSON. */
  public LeakReport getLeakReport() {
    return new LeakReport(getLeaks());
  }

  /**
   * Returns the number of operations without a stack in reports because {@link
   * org.vramkit.sim.hazard.CheckerOptions#maxStacks} was reached; 0 without stacks.
   */
  public long getStacksLeftOut() {
    return locked(engine.checker::getStacksLeftOut);
  }

  /** Returns counts and costs of all driver calls. */
  public DriverCallLog getDriverCalls() {
    return engine.calls;
  }

  /**
   * Queries the recorder while no call is in progress.
   *
   * @throws NotSupportedException if the backend was built without {@link Builder#recorder}
   */
  public <T> T askRecorder(Function<? super CallRecorder, ? extends T> question) {
    Objects.requireNonNull(question, "question");
    CallRecorder recorder = engine.recording.recorder;
    if (recorder == null) {
      throw new NotSupportedException(
          "nothing was recorded; build the simulator with recorder(new ProgramRecorder())");
    }
    return locked(() -> question.apply(recorder));
  }

  /** Creates a closed gate to hold streams with; the name is for reports. */
  public SimGate createGate(String name) {
    Objects.requireNonNull(name, "name");
    return engine.recording.make(
        "create-gate",
        step -> step.text(name),
        () -> {
          engine.requireOpen();
          return new SimGate(engine, engine.newNumber(), name);
        },
        gate -> gate.number);
  }

  /** Returns the fault injector. */
  public FaultInjector getFaults() {
    return engine.faults;
  }

  /**
   * Runs all queued work, as if the host waited for every stream, so that hazards of this work are
   * found on every schedule. Work that a closed gate or a planned hang holds stays queued.
   *
   * @throws RuntimeException thrown by a kernel's body or a host function, unless a wait has
   *     already thrown it; an {@link Error} likewise
   */
  public void finish() {
    engine.recording.perform(
        "finish",
        step -> {},
        () -> {
          engine.requireOpen();
          if (!engine.isLost()) {
            engine.timeline.drain();
            devices.forEach(device -> device.core().streams.finishUnlessHeld());
          }
          engine.rethrow();
        });
  }

  /**
   * Starts one {@linkplain SimStream#callHost host function}, as happens when all threads of the
   * program wait, for example in {@code future.get()}. The function is the first among those that
   * are next in their streams and that nothing holds. The simulator does this by itself once the
   * program has made no call for 0.1 s of real time.
   */
  public void standStill() {
    engine.recording.perform(
        "stand-still",
        step -> {},
        () -> {
          engine.requireOpen();
          engine.functions.beginOne();
        });
  }

  /**
   * Gives page-locked and managed memory its address in this process from now on, as a driver with
   * unified addresses does, for programs that pass such addresses to kernels. Memory that was
   * allocated before keeps its address.
   *
   * @param addressOf returns the address of the first byte of a direct buffer
   */
  public void useHostAddresses(ToLongFunction<ByteBuffer> addressOf) {
    engine.hostAddresses = Objects.requireNonNull(addressOf, "addressOf");
  }

  /** Describes the closed gates, running host functions and planned hangs that hold queued work. */
  public List<String> getHolders() {
    return locked(engine.heldWork::words);
  }

  /**
   * {@linkplain #finish Finishes} queued work. Throws an exception of a kernel's body or a host
   * function that no wait has thrown yet. Later calls throw a {@link
   * org.vramkit.api.error.ClosedException}, except waits and calls that release handles. Reports
   * and figures remain readable, and {@link #getLeaks} returns everything that is still open.
   * Repeated calls have no effect.
   *
   * <p>A backend that {@code Backends.open()} returned in a {@link SimScope} belongs to the creator
   * of the scope, such as a test. Until the scope is closed, this method only finishes the queued
   * work of that backend.
   */
  @Override
  public void close() {
    BooleanSupplier lent = borrowed;
    if (lent != null && lent.getAsBoolean()) {
      finish();
      return;
    }
    try {
      engine.recording.performUnrecorded(
          () -> {
            if (!engine.isClosed()) {
              try {
                finish();
              } finally {
                engine.close();
              }
            }
          });
    } finally {
      if (closeListener != null) {
        closeListener.accept(this);
      }
    }
  }

  /** Makes {@link #close} leave the backend open while {@code isOpen} returns true. */
  void lendWhile(BooleanSupplier isOpen) {
    borrowed = isOpen;
  }

  private <T> T locked(Supplier<T> action) {
    return engine.recording.unrecorded(action);
  }

  @Override
  public String toString() {
    return "simulator with %s, seed %s, %s"
        .formatted(Count.of(devices.size(), "device"), engine.seed, schedule);
  }

  /** Settings of a simulator. Not thread-safe. */
  public static final class Builder {
    private final List<DeviceProfile> profiles = new ArrayList<>();
    private long seed = seedFromProperties();
    private Schedule schedule = Schedule.fromProperties();
    private Duration patience = Duration.ofSeconds(2);
    private long kernelSteps = 2_000_000_000;
    private boolean bytes = true;
    private boolean reuseAddresses = Boolean.getBoolean(REUSE_ADDRESSES_PROPERTY);
    private @Nullable CallRecorder recorder;
    private CostModel costs = CostModel.H200;
    private CheckerOptions checker = CheckerOptions.DEFAULT;
    private FaultPlan faults = FaultPlan.NONE;
    private @Nullable Consumer<SimBackend> closeListener;

    private Builder() {}

    /** Adds a device. */
    public Builder device(DeviceProfile profile) {
      profiles.add(Objects.requireNonNull(profile, "profile"));
      return this;
    }

    private static long seedFromProperties() {
      String text = System.getProperty(SEED_PROPERTY, "1");
      try {
        return Long.parseLong(text.strip());
      } catch (NumberFormatException e) {
        throw new InvalidArgumentException(
            "the system property %s must be a whole number, such as 7, not '%s'; or leave it out"
                .formatted(SEED_PROPERTY, text));
      }
    }

    /**
     * Sets the order in which queued work runs; default by the property {@value Schedule#PROPERTY},
     * or timed.
     */
    public Builder schedule(Schedule value) {
      schedule = Objects.requireNonNull(value, "value");
      return this;
    }

    /**
     * Sets the seed of all random choices; default by the property {@value #SEED_PROPERTY}, or 1.
     */
    public Builder seed(long value) {
      seed = value;
      return this;
    }

    /**
     * Sets whether freed addresses are reused at once, at the places that a driver chooses. By
     * default they are not reused for a long time, so that a freed address stays invalid and its
     * use is reported. The default changes with the property {@value #REUSE_ADDRESSES_PROPERTY}.
     */
    public Builder reuseAddresses(boolean value) {
      reuseAddresses = value;
      return this;
    }

    /**
     * Sets whether simulated memory holds bytes. Without bytes, large replays take no host memory.
     * Default true.
     */
    public Builder bytes(boolean real) {
      bytes = real;
      return this;
    }

    /**
     * Sets the real time for which a host thread waits for work that a fault plan hangs. Then the
     * wait fails, as if a watchdog had ended the work. A wait for work that a gate or a host
     * function holds fails after ten times this time, because another thread may compute, sleep or
     * poll before it lets the work go on. Default 2 seconds.
     */
    public Builder patience(Duration value) {
      Objects.requireNonNull(value, "value");
      if (value.isNegative()) {
        throw new InvalidArgumentException("patience must not be negative: " + value);
      }
      patience = value;
      return this;
    }

    /**
     * Sets the number of instructions of warps after which a launch of a kernel counts as endless:
     * it ends, and {@code KERNEL_HANG} is reported. Default 2 billion, some minutes.
     */
    public Builder kernelSteps(long value) {
      if (value < 1) {
        throw new InvalidArgumentException("kernelSteps must be 1 or more, not " + value);
      }
      kernelSteps = value;
      return this;
    }

    /**
     * Sets the recorder of all calls, such as the {@code ProgramRecorder} of {@code
     * vramkit-sim-replay}; it must be new. Default none.
     */
    public Builder recorder(CallRecorder value) {
      recorder = Objects.requireNonNull(value, "value");
      return this;
    }

    /** Sets the costs of driver calls; default measured on an H200. */
    public Builder costModel(CostModel model) {
      costs = Objects.requireNonNull(model, "model");
      return this;
    }

    /** Sets the options of the checker. */
    public Builder checker(CheckerOptions options) {
      checker = Objects.requireNonNull(options, "options");
      return this;
    }

    /**
     * Sets the faults, whose counts begin at the start. More faults can be injected later. Default
     * none.
     */
    public Builder faults(FaultPlan plan) {
      faults = Objects.requireNonNull(plan, "plan");
      return this;
    }

    Builder onClose(Consumer<SimBackend> listener) {
      closeListener = listener;
      return this;
    }

    /** Builds the simulator. */
    public SimBackend build() {
      return new SimBackend(this);
    }
  }
}
