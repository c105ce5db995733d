package org.vramkit.cuda;

import java.util.Objects;
import java.util.Set;
import org.vramkit.api.device.Capability;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.DeviceBinding;
import org.vramkit.api.device.DeviceMemory;
import org.vramkit.api.device.DeviceProperties;
import org.vramkit.api.device.DriverPools;
import org.vramkit.api.device.Graphs;
import org.vramkit.api.device.KernelLimits;
import org.vramkit.api.device.KernelModule;
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
import org.vramkit.cuda.driver.CudaDriver;
import org.vramkit.cuda.driver.EventCalls;
import org.vramkit.cuda.driver.Handle;
import org.vramkit.cuda.driver.StreamCalls;

/** A CUDA device. Properties and capabilities are queried on first use and cached. */
final class CudaDevice implements Device {
  final CudaDriver driver;
  final DriverErrors errors;
  final CudaContext context;
  final HostCopies hostCopies = new HostCopies();
  final CudaGraphs graphs;
  final int version;
  private final CudaBackend backend;
  private final int ordinal;
  private final DeviceFacts facts;
  private final CudaStream defaultStream;
  private final DeviceMemory memory;
  private final VirtualMemory virtualMemory;
  private final StreamOrderedMemory streamOrderedMemory;
  private final DriverPools driverPools;
  private final CudaPinnedMemory pinnedMemory;
  private final PeerAccess peerAccess;

  CudaDevice(
      CudaBackend backend, CudaDriver driver, DriverErrors errors, int ordinal, int version) {
    this.backend = backend;
    this.driver = driver;
    this.errors = errors;
    this.ordinal = ordinal;
    this.version = version;
    this.context = new CudaContext(driver.contexts(), errors, ordinal, backend.handles);
    this.facts = new DeviceFacts(driver, errors, ordinal, version);
    this.memory = new CudaDeviceMemory(this);
    this.virtualMemory = new CudaVirtualMemory(this);
    this.streamOrderedMemory = new CudaDefaultPool(this);
    this.driverPools = new CudaDriverPools(this, version);
    this.pinnedMemory = new CudaPinnedMemory(this);
    this.peerAccess = new CudaPeerAccess(this);
    this.graphs = new CudaGraphs(this);
    this.defaultStream = CudaStream.borrowed(this, driver.streams().getDefaultStream());
  }

  @Override
  public int getOrdinal() {
    return ordinal;
  }

  @Override
  public CudaBackend getBackend() {
    return backend;
  }

  @Override
  public DeviceProperties getProperties() {
    return facts.getProperties();
  }

  @Override
  public Set<Capability> getCapabilities() {
    return facts.getCapabilities();
  }

  @Override
  public MemoryInfo getMemoryInfo() {
    long[] freeAndTotal = new long[2];
    context.run(
        "cuMemGetInfo",
        () -> "cannot query the memory of " + this,
        () -> driver.memory().cuMemGetInfo(freeAndTotal));
    return new MemoryInfo(freeAndTotal[0], freeAndTotal[1]);
  }

  @Override
  public Stream getDefaultStream() {
    return defaultStream;
  }

  @Override
  public Stream createStream(StreamKind kind) {
    return createStream(kind, "");
  }

  @Override
  public Stream createStream(String name) {
    return createStream(StreamKind.NON_BLOCKING, Objects.requireNonNull(name, "name"));
  }

  private Stream createStream(StreamKind kind, String name) {
    int flags = kind == StreamKind.BLOCKING ? StreamCalls.BLOCKING : StreamCalls.NON_BLOCKING;
    Handle[] made = new Handle[1];
    context.run(
        "cuStreamCreate",
        () -> "cannot create a stream of " + this,
        () -> driver.streams().cuStreamCreate(made, flags));
    return CudaStream.owned(this, made[0], name);
  }

  /**
   * Creates an event whose waits sleep instead of spinning; recording and querying it cost the
   * same.
   */
  @Override
  public CudaEvent createEvent() {
    Handle[] made = new Handle[1];
    context.run(
        "cuEventCreate",
        () -> "cannot create an event of " + this,
        () ->
            driver
                .events()
                .cuEventCreate(made, EventCalls.DISABLE_TIMING | EventCalls.BLOCKING_SYNC));
    return new CudaEvent(this, made[0]);
  }

  @Override
  public DeviceMemory getMemory() {
    return memory;
  }

  @Override
  public VirtualMemory getVirtualMemory() {
    return require(Capability.VIRTUAL_MEMORY, virtualMemory);
  }

  @Override
  public StreamOrderedMemory getStreamOrderedMemory() {
    return require(Capability.STREAM_ORDERED_MEMORY, streamOrderedMemory);
  }

  @Override
  public DriverPools getDriverPools() {
    return require(Capability.DRIVER_POOLS, driverPools);
  }

  @Override
  public PinnedMemory getPinnedMemory() {
    return require(Capability.PINNED_HOST_MEMORY, pinnedMemory);
  }

  @Override
  public ManagedMemory getManagedMemory() {
    return require(Capability.MANAGED_MEMORY, pinnedMemory::manage);
  }

  @Override
  public PeerAccess getPeerAccess() {
    return require(Capability.PEER_ACCESS, peerAccess);
  }

  @Override
  public Graphs getGraphs() {
    return require(Capability.GRAPHS, graphs);
  }

  @Override
  public KernelModule loadModule(byte[] image) {
    requireSupported(Capability.KERNELS);
    return CudaModule.load(this, image);
  }

  @Override
  public KernelLimits getKernelLimits() {
    requireSupported(Capability.KERNELS);
    return facts.getKernelLimits();
  }

  @Override
  public MemoryObserver getMemoryObserver() {
    return driver.getMemoryObserver();
  }

  private <T> T require(Capability capability, T implementation) {
    requireSupported(capability);
    return implementation;
  }

  void requireSupported(Capability capability) {
    if (!supports(capability)) {
      throw new NotSupportedException(
          this
              + " has no "
              + capability
              + " through "
              + driver.getBinding()
              + ": "
              + facts.whyMissing(capability)
              + "; it has "
              + getCapabilities());
    }
  }

  /** Returns the stream as a {@link CudaStream} of this device. */
  CudaStream ours(Stream stream) {
    if (stream instanceof CudaStream cuda && cuda.getDevice() == this) {
      return cuda;
    }
    throw new InvalidArgumentException(
        stream
            + " is not a stream of "
            + this
            + "; pass a stream"
            + " that this device created or wrapped");
  }

  /** Returns a stream of any device of this backend. */
  CudaStream ofBackend(Stream stream) {
    if (stream instanceof CudaStream cuda && cuda.getDevice().getBackend() == backend) {
      return cuda;
    }
    throw new InvalidArgumentException(
        stream + " is not a stream of " + backend + "; pass a stream of one of its devices");
  }

  @Override
  public void synchronize() {
    context.run(
        "cuCtxSynchronize", () -> "cannot wait for " + this, driver.contexts()::cuCtxSynchronize);
  }

  @Override
  public DeviceBinding bind() {
    return context.bind();
  }

  void close() {
    context.close();
  }

  @Override
  public String toString() {
    return "CUDA device " + ordinal;
  }
}
