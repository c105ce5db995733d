package org.vramkit.sim;

import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Capability;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.DeviceBinding;
import org.vramkit.api.device.DeviceMemory;
import org.vramkit.api.device.DeviceProperties;
import org.vramkit.api.device.DriverPools;
import org.vramkit.api.device.Graph;
import org.vramkit.api.device.Graphs;
import org.vramkit.api.device.HostEdge;
import org.vramkit.api.device.KernelLimits;
import org.vramkit.api.device.KernelModule;
import org.vramkit.api.device.ManagedMemory;
import org.vramkit.api.device.MemoryInfo;
import org.vramkit.api.device.MemoryObserver;
import org.vramkit.api.device.PeerAccess;
import org.vramkit.api.device.PinnedMemory;
import org.vramkit.api.device.StreamKind;
import org.vramkit.api.device.StreamOrderedMemory;
import org.vramkit.api.device.VirtualMemory;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.api.error.NotSupportedException;
import org.vramkit.sim.driver.DriverFunction;
import org.vramkit.sim.hazard.LeakKind;
import org.vramkit.sim.hazard.MemoryPeak;
import org.vramkit.sim.recording.CallNote;

/** A simulated GPU. Safe for any thread. */
public final class SimDevice implements Device {
  private final SimBackend backend;
  private final Engine engine;
  private final CallRecording recording;
  private final CurrentDevice current;
  private final int ordinal;
  private final DeviceProfile profile;
  private final Occupancy occupancy;
  private final DeviceCore core;
  private final SimStream defaultStream;
  private final SimDeviceMemory memory;
  private final SimVirtualMemory virtualMemory;
  private final SimDriverPool defaultPool;
  private final SimPinnedMemory pinnedMemory;
  private final SimPeerAccess peerAccess;
  final SimGraphs graphs;
  private final MemoryObserver observer;

  SimDevice(
      SimBackend backend,
      Engine engine,
      Captures captures,
      CurrentDevice current,
      List<DeviceCore> all,
      DeviceProfile profile) {
    this.backend = backend;
    this.engine = engine;
    this.recording = engine.recording;
    this.current = current;
    this.ordinal = all.size();
    this.profile = profile;
    this.occupancy =
        Occupancy.of(profile.properties().computeMajor(), profile.properties().computeMinor());
    this.core = new DeviceCore(engine, captures, this, profile, all, SimStream::queueOf);
    this.defaultStream = new SimStream(this, core, core.streams.defaultStream);
    this.memory = new SimDeviceMemory(core);
    this.virtualMemory = new SimVirtualMemory(core);
    this.defaultPool = new SimDriverPool(core, memory, 0, 0);
    this.pinnedMemory = new SimPinnedMemory(core);
    this.peerAccess = new SimPeerAccess(core);
    this.graphs = new SimGraphs(core);
    this.observer =
        engine.checker.options.enabled() ? new SimMemoryObserver(core) : MemoryObserver.NONE;
  }

  DeviceCore core() {
    return core;
  }

  private CallNote on(CallNote note) {
    return core.on(note);
  }

  boolean isPeerEnabled(int owner) {
    return core.peers.contains(owner);
  }

  /** Returns the current device of the calling thread; null for none. */
  @Nullable DeviceCore current() {
    return current.get();
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
    return recording.unrecorded(
        () -> {
          engine.call(DriverFunction.MEM_GET_INFO, core.ordinal, 0);
          return new MemoryInfo(core.budget.getFree(), core.budget.total);
        });
  }

  /**
   * Returns the most memory that the program had here at once. Without the checker, requested bytes
   * are 0, and there are no blocks.
   */
  public MemoryPeak getMemoryPeak() {
    return recording.unrecorded(
        () ->
            new MemoryPeak(
                engine.checker.blocks.getMostBytes(core.ordinal),
                core.budget.getMostUsed(),
                engine.checker.blocks.getBlocksAtMost(core.ordinal)));
  }

  /** Returns the profile of the device. */
  public DeviceProfile getProfile() {
    return profile;
  }

  /**
   * Returns the capabilities of the profile; peer access only beside another device that has it.
   */
  @Override
  public Set<Capability> getCapabilities() {
    Set<Capability> all = profile.capabilities();
    if (!all.contains(Capability.PEER_ACCESS) || hasPeer()) {
      return all;
    }
    Set<Capability> alone = EnumSet.copyOf(all);
    alone.remove(Capability.PEER_ACCESS);
    return alone;
  }

  @Override
  public boolean supports(Capability capability) {
    return profile.capabilities().contains(Objects.requireNonNull(capability, "capability"))
        && (capability != Capability.PEER_ACCESS || hasPeer());
  }

  private boolean hasPeer() {
    return core.all.stream().anyMatch(other -> other != core && other.hasPeerAccess);
  }

  @Override
  public KernelModule loadModule(byte[] image) {
    require(Capability.KERNELS);
    return recording.unrecorded(
        () -> SimModule.load(core, occupancy, graphs::whenNoneIsOpen, image));
  }

  @Override
  public KernelLimits getKernelLimits() {
    return occupancy.limits();
  }

  @Override
  public SimStream getDefaultStream() {
    return recording.get("default-stream", defaultStream, ordinal);
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

  /** Creates a non-blocking stream. Reports show its name, or its handle if the name is empty. */
  @Override
  public SimStream createStream(String name) {
    Objects.requireNonNull(name, "name");
    return createStream("create-named-stream", name, StreamKind.NON_BLOCKING, name);
  }

  private SimStream createStream(String call, String text, StreamKind kind, String name) {
    return recording.make(
        call,
        note -> on(note).text(text),
        () -> {
          engine.call(DriverFunction.STREAM_CREATE, core.ordinal, 0);
          core.take(ContextMemory.ofStream(), DriverFunction.STREAM_CREATE);
          long handle = core.newHandle();
          SimStream stream = new SimStream(this, core, core.streams.create(handle, kind, name));
          engine.openHandles.watch(LeakKind.STREAM, handle, stream);
          return stream;
        },
        SimStream::getHandle);
  }

  /**
   * Begins to capture a stream in a mode of {@code cuStreamBeginCapture}: 0 for global, 1 for
   * thread-local, 2 for relaxed.
   */
  public void beginCapture(SimStream stream, int mode) {
    Objects.requireNonNull(stream, "stream");
    graphs.beginCapture(
        stream,
        switch (mode) {
          case 0 -> Capture.Mode.GLOBAL;
          case 1 -> Capture.Mode.THREAD_LOCAL;
          default -> Capture.Mode.RELAXED;
        });
  }

  /** The state of the capture that records a stream. */
  public enum CaptureState {
    NONE,
    ACTIVE,
    INVALIDATED,
    /** A use of this default stream would invalidate the capture of a blocking one. */
    IMPLICIT
  }

  public CaptureState getCaptureState(SimStream stream) {
    Objects.requireNonNull(stream, "stream");
    return recording.unrecorded(
        () -> {
          Capture capture = stream.queue.capture;
          if (capture == null) {
            return core.captures.isOrderedWithCapture(stream.queue)
                ? CaptureState.IMPLICIT
                : CaptureState.NONE;
          }
          return capture.isInvalidated() ? CaptureState.INVALIDATED : CaptureState.ACTIVE;
        });
  }

  /** Refuses a call like {@code cuMemAlloc}, which would be unsafe in a capture of the thread. */
  public void requireSafeInCapture() {
    recording.performUnrecorded(() -> core.captures.requireSafe(DriverFunction.MEM_ALLOC));
  }

  /** Makes a capture of a stream fail, as the driver does when it refuses a call. */
  public void invalidateCapture(SimStream stream) {
    Objects.requireNonNull(stream, "stream");
    recording.performUnrecorded(
        () -> {
          if (stream.queue.capture != null) {
            stream.queue.capture.invalidate();
          }
        });
  }

  /**
   * Defines a node of graphs: the work that {@code work} submits to the stream that it is given.
   * Reports of launches show the present call.
   */
  public SimGraphNode defineNode(Consumer<SimStream> work) {
    Objects.requireNonNull(work, "work");
    return graphs.define(queue -> work.accept(new SimStream(this, core, queue)));
  }

  /**
   * Creates a graph of nodes, each of which begins once those before it are done.
   *
   * @param nodes the nodes, each behind those that it follows
   * @param before for each node, the indices of those that it follows
   * @param replaced the graph that this one replaces, whose launches its own follow; null for none
   */
  public Graph createGraph(
      List<SimGraphNode> nodes, List<? extends Set<Integer>> before, @Nullable Graph replaced) {
    Objects.requireNonNull(nodes, "nodes");
    Objects.requireNonNull(before, "before");
    return graphs.create(nodes, before, replaced);
  }

  @Override
  public SimEvent createEvent() {
    return recording.make(
        "create-event",
        this::on,
        () -> {
          engine.call(DriverFunction.EVENT_CREATE, core.ordinal, 0);
          SimEvent event = new SimEvent(this, core.newHandle());
          engine.openHandles.add(LeakKind.EVENT, ordinal, event.getHandle(), 0);
          engine.openHandles.watch(LeakKind.EVENT, event.getHandle(), event);
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
                    "a pool's maximum must not be negative: "
                        + maximumBytes
                        + " bytes; 0 sets no maximum");
              }
              engine.call(DriverFunction.MEM_POOL_CREATE, core.ordinal, 0);
              if (maximumBytes > DeviceProfile.MAXIMUM_POOL) {
                throw engine.outOfMemory(DriverFunction.MEM_POOL_CREATE, maximumBytes);
              }
              SimDriverPool pool = new SimDriverPool(core, memory, core.newHandle(), maximumBytes);
              engine.openHandles.add(LeakKind.POOL, ordinal, pool.handle, 0);
              engine.openHandles.watch(LeakKind.POOL, pool.handle, pool);
              return pool;
            },
            pool -> pool.handle);
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

  @Override
  public DeviceBinding bind() {
    return current.bind(core);
  }

  @Override
  public MemoryObserver getMemoryObserver() {
    return observer;
  }

  @Override
  public HostEdge createHostEdge() {
    return engine.checker.options.enabled() ? HandOff.create(engine) : HostEdge.NONE;
  }

  private void require(Capability capability) {
    if (!supports(capability)) {
      throw new NotSupportedException(
          "device %s (%s) has no %s; it has %s"
              .formatted(ordinal, profile.properties().name(), capability, getCapabilities()));
    }
  }

  @Override
  public void synchronize() {
    recording.perform(
        "synchronize-device",
        this::on,
        () -> {
          engine.call(DriverFunction.CTX_SYNCHRONIZE, core.ordinal, 0);
          core.captures.requireNoneOf(ordinal, DriverFunction.CTX_SYNCHRONIZE);
          core.streams.finishAll(DriverFunction.CTX_SYNCHRONIZE);
          core.releaseUnused();
        });
  }

  /**
   * Lets a simulated other process allocate bytes of the device, not negative. Returns whether
   * enough were free.
   */
  public boolean occupy(long bytes) {
    return recording.call(
        "occupy",
        step -> on(step).value(bytes),
        () -> {
          engine.requireOpen();
          requireSize("allocate", bytes);
          return core.budget.occupy(bytes);
        });
  }

  /** Lets the simulated other process free bytes, not negative and at most as many as it holds. */
  public void vacate(long bytes) {
    recording.perform(
        "vacate",
        step -> on(step).value(bytes),
        () -> {
          requireSize("free", bytes);
          if (bytes > core.budget.getOccupied()) {
            throw new InvalidArgumentException(
                ("other processes hold %s bytes of device %s, so they cannot free %s; occupy them"
                        + " first")
                    .formatted(core.budget.getOccupied(), ordinal, bytes));
          }
          core.budget.vacate(bytes);
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
