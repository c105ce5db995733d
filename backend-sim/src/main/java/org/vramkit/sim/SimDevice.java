package org.vramkit.sim;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;
import org.vramkit.api.device.Capability;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.DeviceBinding;
import org.vramkit.api.device.DeviceMemory;
import org.vramkit.api.device.DeviceProperties;
import org.vramkit.api.device.DriverPools;
import org.vramkit.api.device.Graphs;
import org.vramkit.api.device.HostEdge;
import org.vramkit.api.device.ManagedMemory;
import org.vramkit.api.device.MemoryInfo;
import org.vramkit.api.device.MemoryObserver;
import org.vramkit.api.device.PeerAccess;
import org.vramkit.api.device.PinnedMemory;
import org.vramkit.api.device.Stream;
import org.vramkit.api.device.StreamKind;
import org.vramkit.api.device.StreamOrderedMemory;
import org.vramkit.api.device.VirtualMemory;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.api.error.NotSupportedException;
import org.vramkit.sim.driver.DriverFunction;
import org.vramkit.sim.hazard.LeakKind;
import org.vramkit.sim.memory.PhysicalBudget;
import org.vramkit.sim.recording.CallNote;

/** A simulated GPU. Safe for any thread. */
public final class SimDevice implements Device {
  /** The handle of the default stream of every device. */
  static final long DEFAULT_STREAM = 0;

  final Engine engine;
  final Recording recording;
  final PhysicalBudget budget;
  final boolean fatalIllegalAccess;
  private final SimBackend backend;
  private final int ordinal;
  private final DeviceProfile profile;
  private final DeviceStreams streams;
  private final List<SimDriverPool> pools = new ArrayList<>();
  private final SimDeviceMemory memory;
  private final SimVirtualMemory virtualMemory;
  private final SimDriverPool defaultPool;
  private final SimPinnedMemory pinnedMemory;
  private final SimPeerAccess peerAccess;
  private final SimGraphs graphs;
  private final MemoryObserver observer;
  private long nextHandle;

  SimDevice(
      SimBackend backend,
      Engine engine,
      int ordinal,
      DeviceProfile profile,
      boolean fatalIllegalAccess) {
    this.backend = backend;
    this.engine = engine;
    this.recording = engine.recording;
    this.ordinal = ordinal;
    this.profile = profile;
    this.fatalIllegalAccess = fatalIllegalAccess;
    this.budget = new PhysicalBudget(profile.properties().totalMemoryBytes());
    engine.budgets.add(budget);
    this.nextHandle = (ordinal + 1L) << 32;
    this.streams = new DeviceStreams(this);
    this.memory = new SimDeviceMemory(this);
    this.virtualMemory = new SimVirtualMemory(this);
    this.defaultPool = new SimDriverPool(this, 0, 0);
    this.pinnedMemory = new SimPinnedMemory(this);
    this.peerAccess = new SimPeerAccess(this);
    this.graphs = new SimGraphs(this);
    this.observer = engine.checker.isEnabled() ? new SimMemoryObserver(this) : MemoryObserver.NONE;
    pools.add(defaultPool);
  }

  private CallNote on(CallNote step) {
    return step.device(ordinal);
  }

  /** Runs under the engine's lock. */
  <T> T locked(Supplier<T> action) {
    return recording.unrecorded(action);
  }

  long newHandle() {
    return ++nextHandle;
  }

  DeviceStreams streams() {
    return streams;
  }

  List<SimDriverPool> pools() {
    return pools;
  }

  boolean isPeerEnabled(int owner) {
    return peerAccess.isEnabled(owner);
  }

  SimStream ours(Stream stream) {
    if (stream instanceof SimStream sim && sim.getDevice() == this) {
      return sim;
    }
    engine.checker.getMisuse().wrongDevice("use of " + stream, stream + " is not of " + this);
    throw new InvalidArgumentException(
        stream + " is not of device " + ordinal + " of this simulator");
  }

  /** A stream of any device of the simulator. */
  SimStream ofBackend(Stream stream) {
    return stream instanceof SimStream sim && sim.getDevice().getBackend() == backend
        ? sim
        : ours(stream);
  }

  /** Pools give back what is above their threshold, as at every synchronisation. */
  void releaseUnused() {
    for (SimDriverPool pool : pools) {
      pool.releaseAboveThreshold();
    }
  }

  @Override
  public int getOrdinal() {
    return ordinal;
  }

  @Override
  public SimBackend getBackend() {
    return backend;
  }

  @Override
  public DeviceProperties getProperties() {
    return profile.properties();
  }

  @Override
  public MemoryInfo getMemoryInfo() {
    return locked(
        () -> {
          engine.call(DriverFunction.MEM_GET_INFO, 0);
          return new MemoryInfo(budget.getFree(), budget.getTotal());
        });
  }

  /** What it was made as. */
  public DeviceProfile getProfile() {
    return profile;
  }

  @Override
  public Set<Capability> getCapabilities() {
    return profile.capabilities();
  }

  @Override
  public SimStream getDefaultStream() {
    return recording.get("default-stream", streams.getDefault(), ordinal);
  }

  @Override
  public SimStream createStream() {
    return createStream(StreamKind.NON_BLOCKING);
  }

  @Override
  public SimStream createStream(StreamKind kind) {
    Objects.requireNonNull(kind, "kind");
    return createStream("create-stream", kind.name(), kind, "");
  }

  /**
   * A stream that follows no default stream.
   *
   * @param name what reports call it; empty for its handle
   */
  public SimStream createStream(String name) {
    Objects.requireNonNull(name, "name");
    return createStream("create-named-stream", name, StreamKind.NON_BLOCKING, name);
  }

  private SimStream createStream(String call, String text, StreamKind kind, String name) {
    return recording.make(
        call,
        note -> on(note).text(text),
        () -> {
          engine.call(DriverFunction.STREAM_CREATE, 0);
          return streams.create(kind, name);
        },
        SimStream::getHandle);
  }

  @Override
  public SimEvent createEvent() {
    return recording.make(
        "create-event",
        this::on,
        () -> {
          engine.call(DriverFunction.EVENT_CREATE, 0);
          SimEvent event = new SimEvent(this, newHandle());
          engine.holdings.hold(LeakKind.EVENT, ordinal, event.getHandle(), 0);
          engine.holdings.watch(LeakKind.EVENT, event.getHandle(), event);
          return event;
        },
        SimEvent::getHandle);
  }

  @Override
  public DeviceMemory getMemory() {
    return memory;
  }

  @Override
  public VirtualMemory getVirtualMemory() {
    require(Capability.VIRTUAL_MEMORY);
    return virtualMemory;
  }

  @Override
  public StreamOrderedMemory getStreamOrderedMemory() {
    require(Capability.STREAM_ORDERED_MEMORY);
    return recording.get("default-pool", defaultPool, ordinal);
  }

  @Override
  public DriverPools getDriverPools() {
    require(Capability.DRIVER_POOLS);
    return maximumBytes ->
        recording.make(
            "create-pool",
            step -> on(step).value(maximumBytes),
            () -> {
              if (maximumBytes < 0) {
                throw new InvalidArgumentException(
                    "a pool's maximum must not be negative: " + maximumBytes);
              }
              engine.call(DriverFunction.MEM_POOL_CREATE, 0);
              SimDriverPool pool = new SimDriverPool(this, newHandle(), maximumBytes);
              pools.add(pool);
              DriverPoolHandle opened = new DriverPoolHandle(pool);
              engine.holdings.hold(LeakKind.POOL, ordinal, pool.getHandle(), 0);
              engine.holdings.watch(LeakKind.POOL, pool.getHandle(), opened);
              return opened;
            },
            DriverPoolHandle::getHandle);
  }

  @Override
  public PinnedMemory getPinnedMemory() {
    require(Capability.PINNED_HOST_MEMORY);
    return pinnedMemory;
  }

  @Override
  public ManagedMemory getManagedMemory() {
    require(Capability.MANAGED_MEMORY);
    return pinnedMemory::manage;
  }

  @Override
  public PeerAccess getPeerAccess() {
    require(Capability.PEER_ACCESS);
    return peerAccess;
  }

  @Override
  public Graphs getGraphs() {
    require(Capability.GRAPHS);
    return graphs;
  }

  SimGraphs graphs() {
    return graphs;
  }

  @Override
  public DeviceBinding bind() {
    return engine.current.bind(this);
  }

  @Override
  public MemoryObserver getMemoryObserver() {
    return observer;
  }

  @Override
  public HostEdge createHostEdge() {
    return engine.checker.isEnabled() ? HandOff.create(engine) : HostEdge.NONE;
  }

  private void require(Capability capability) {
    if (!supports(capability)) {
      throw new NotSupportedException(
          "device "
              + ordinal
              + " ("
              + profile.properties().name()
              + ") has no "
              + capability
              + "; it has "
              + getCapabilities());
    }
  }

  @Override
  public void synchronize() {
    recording.perform(
        "synchronize-device",
        this::on,
        () -> {
          engine.call(DriverFunction.CTX_SYNCHRONIZE, 0);
          engine.captures.requireNoneOf(this, DriverFunction.CTX_SYNCHRONIZE);
          streams.finishAll(DriverFunction.CTX_SYNCHRONIZE);
          releaseUnused();
        });
  }

  /**
   * Another process takes memory of the device.
   *
   * @param bytes how much, not negative
   * @return whether there was so much
   */
  public boolean occupy(long bytes) {
    return recording.call(
        "occupy",
        step -> on(step).value(bytes),
        () -> {
          engine.requireOpen();
          requireSize("take", bytes);
          return budget.occupy(bytes);
        });
  }

  /**
   * The other process gives memory back.
   *
   * @param bytes how much, not negative and at most what it has
   */
  public void vacate(long bytes) {
    recording.perform(
        "vacate",
        step -> on(step).value(bytes),
        () -> {
          requireSize("give back", bytes);
          if (bytes > budget.getOccupied()) {
            throw new InvalidArgumentException(
                String.format(
                    Locale.ROOT,
                    "other processes hold %d bytes of device %d, so they cannot give back %d;"
                        + " occupy them first",
                    budget.getOccupied(),
                    ordinal,
                    bytes));
          }
          budget.vacate(bytes);
        });
  }

  private static void requireSize(String what, long bytes) {
    if (bytes < 0) {
      throw new InvalidArgumentException(
          "another process cannot " + what + " " + bytes + " bytes: negative");
    }
  }

  @Override
  public String toString() {
    return "simulated device " + ordinal;
  }
}
