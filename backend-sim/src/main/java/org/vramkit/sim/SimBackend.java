package org.vramkit.sim;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.vramkit.api.device.Backend;
import org.vramkit.api.device.Capability;
import org.vramkit.api.device.Device;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.sim.check.Checker;
import org.vramkit.sim.check.Peers;
import org.vramkit.sim.driver.CostModel;
import org.vramkit.sim.driver.DriverCallLog;
import org.vramkit.sim.driver.FaultPlan;
import org.vramkit.sim.hazard.CheckerOptions;
import org.vramkit.sim.hazard.HazardReport;
import org.vramkit.sim.hazard.Leak;

/**
 * Simulated GPUs in virtual time, with a checker that judges the order of everything done to their
 * memory. Deterministic: the same program with the same seed does the same. Safe for any thread.
 */
public final class SimBackend implements Backend {
  /** The name by which the simulator is chosen. */
  public static final String NAME = "sim";

  private final Engine engine;
  private final List<SimDevice> devices;

  private SimBackend(Builder builder) {
    List<SimDevice> made = new ArrayList<>();
    this.devices = made;
    this.engine =
        new Engine(
            builder.seed,
            builder.bytes,
            builder.costs,
            space -> new Checker(builder.checker, space, peers(), builder.seed));
    List<DeviceProfile> profiles =
        builder.profiles.isEmpty() ? List.of(DeviceProfile.H200) : builder.profiles;
    for (DeviceProfile profile : profiles) {
      made.add(
          new SimDevice(this, engine, made.size(), profile, builder.checker.fatalIllegalAccess()));
    }
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

  /** Settings for simulated devices; without any, one H200. */
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
          "no device " + ordinal + ": the simulator has " + devices.size() + ", from 0");
    }
    return devices.get(ordinal);
  }

  /** The seed that everything random is drawn from. */
  public long getSeed() {
    return engine.seed;
  }

  /** The host's virtual time in nanoseconds since the backend was made. */
  public long getTimeNanos() {
    return locked(engine::now);
  }

  /**
   * Lets virtual time pass on the host.
   *
   * @param nanos the time to reach; one that is past changes nothing
   */
  public void advanceTo(long nanos) {
    locked(
        () -> {
          engine.advanceTo(nanos);
          return true;
        });
  }

  /**
   * Lets virtual time pass on the host.
   *
   * @param nanos how much, not negative
   */
  public void advance(long nanos) {
    if (nanos < 0) {
      throw new InvalidArgumentException("time does not run backwards: " + nanos + " ns");
    }
    locked(
        () -> {
          engine.advanceTo(engine.now() + nanos);
          return true;
        });
  }

  /** A number that differs whenever the calls, their order or their times differ. */
  public long getTraceHash() {
    return locked(engine::traceHash);
  }

  /** The hazards found, at most as many as the checker's options keep. */
  public List<HazardReport> getHazards() {
    return locked(engine.checker::getHazards);
  }

  /** What is legal and probably wrong. */
  public List<HazardReport> getWarnings() {
    return locked(engine.checker::getWarnings);
  }

  /** How many hazards were found, kept or not. */
  public long getHazardCount() {
    return locked(engine.checker::getCount);
  }

  /** Forgets the hazards found so far. */
  public void clearHazards() {
    locked(
        () -> {
          engine.checker.clear();
          return true;
        });
  }

  /** What is still held, in the order in which it was taken. */
  public List<Leak> getLeaks() {
    return locked(engine::held);
  }

  /** Every driver call: counts and costs. */
  public DriverCallLog getDriverCalls() {
    return engine.calls;
  }

  /** Makes driver calls fail. */
  public FaultPlan getFaults() {
    return engine.faults;
  }

  @Override
  public void close() {
    // Nothing is held outside the heap; what users still hold is what getLeaks() tells.
  }

  private <T> T locked(Supplier<T> action) {
    engine.lock.lock();
    try {
      return action.get();
    } finally {
      engine.lock.unlock();
    }
  }

  @Override
  public String toString() {
    return "simulator with " + devices.size() + " devices, seed " + engine.seed;
  }

  /** Settings of a simulator. Not safe for threads. */
  public static final class Builder {
    private final List<DeviceProfile> profiles = new ArrayList<>();
    private long seed = 1;
    private boolean bytes = true;
    private CostModel costs = CostModel.H200;
    private CheckerOptions checker = CheckerOptions.DEFAULT;

    private Builder() {}

    /** One more device. */
    public Builder device(DeviceProfile profile) {
      profiles.add(profile);
      return this;
    }

    /** Where everything random comes from; default 1. */
    public Builder seed(long value) {
      seed = value;
      return this;
    }

    /** Whether memory holds bytes; without, large replays cost no host memory. Default true. */
    public Builder bytes(boolean real) {
      bytes = real;
      return this;
    }

    /** What driver calls cost; default measured on an H200. */
    public Builder costModel(CostModel model) {
      costs = model;
      return this;
    }

    /** What the checker does. */
    public Builder checker(CheckerOptions options) {
      checker = options;
      return this;
    }

    /** The simulator. */
    public SimBackend build() {
      return new SimBackend(this);
    }
  }
}
