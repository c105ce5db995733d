package org.vramkit.guice;

import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.allocator.Workspace;
import org.vramkit.api.device.Backend;
import org.vramkit.api.device.Device;
import org.vramkit.api.error.Batch;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.partition.device.DevicePool;
import org.vramkit.partition.scatter.Scatter;
import org.vramkit.pool.buffer.BufferPool;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.pool.pinned.PinnedPool;
import org.vramkit.pool.stream.StreamPool;
import org.vramkit.pressure.Admission;

/**
 * Everything that an injector made for GPUs, and the one thing to close at the end: it closes pools
 * and workspaces, then allocators, then the backend. Parts are made when they are first wanted.
 * Safe for any thread; its monitor guards the parts and is held while one is made.
 */
@Singleton
public final class GpuResources implements AutoCloseable {
  private final BackendOpener opener;
  private final AllocatorFactory allocatorFactory;
  private final WorkspaceFactory workspaceFactory;
  private final BufferPoolFactory bufferPoolFactory;
  private final PinnedPoolFactory pinnedPoolFactory;
  private final StreamPoolFactory streamPoolFactory;
  private final AdmissionFactory admissionFactory;
  private final ScatterFactory scatterFactory;
  private final Map<Integer, Allocator> allocators = new TreeMap<>();
  private final Map<Integer, Workspace> workspaces = new TreeMap<>();
  private final Map<Integer, BufferPool> bufferPools = new TreeMap<>();
  private final Map<Integer, PinnedPool> pinnedPools = new TreeMap<>();
  private final Map<Integer, StreamPool> streamPools = new TreeMap<>();
  private final Map<Integer, Admission> admissions = new TreeMap<>();

  /** What was made, the newest first: nothing is closed before what was built on it. */
  private final Deque<AutoCloseable> made = new ArrayDeque<>();

  private @Nullable Backend backend;
  private @Nullable Scatter scatter;
  private @Nullable BufferPool allBuffers;
  private boolean closed;

  @Inject
  GpuResources(
      BackendOpener opener,
      AllocatorFactory allocatorFactory,
      WorkspaceFactory workspaceFactory,
      BufferPoolFactory bufferPoolFactory,
      PinnedPoolFactory pinnedPoolFactory,
      StreamPoolFactory streamPoolFactory,
      AdmissionFactory admissionFactory,
      ScatterFactory scatterFactory) {
    this.opener = opener;
    this.allocatorFactory = allocatorFactory;
    this.workspaceFactory = workspaceFactory;
    this.bufferPoolFactory = bufferPoolFactory;
    this.pinnedPoolFactory = pinnedPoolFactory;
    this.streamPoolFactory = streamPoolFactory;
    this.admissionFactory = admissionFactory;
    this.scatterFactory = scatterFactory;
  }

  /** The backend; opened by the first call. */
  public synchronized Backend getBackend() {
    requireOpen();
    Backend opened = backend;
    if (opened == null) {
      opened = made(opener.open(), "BackendOpener");
      backend = opened;
    }
    return opened;
  }

  /**
   * A device.
   *
   * @throws InvalidArgumentException naming how many there are and how to have more, if there is
   *     none of this ordinal
   */
  public synchronized Device getDevice(int ordinal) {
    Backend opened = getBackend();
    int count = opened.getDevices().size();
    if (ordinal < 0 || ordinal >= count) {
      throw new InvalidArgumentException(
          "device "
              + ordinal
              + " is wanted, backend '"
              + opened.getName()
              + "' has "
              + count
              + ": use a lower ordinal, or a backend with more devices by GpuModule.over(opener);"
              + " the simulator that the class path offers has 2 with -Dvramkit.sim.devices=2");
    }
    return opened.getDevice(ordinal);
  }

  /** The allocator of a device; made by the first call. */
  public synchronized Allocator getAllocator(int ordinal) {
    requireOpen();
    Allocator allocator = allocators.get(ordinal);
    if (allocator == null) {
      allocator = made(allocatorFactory.create(getDevice(ordinal)), "AllocatorFactory");
      allocators.put(ordinal, allocator);
    }
    return allocator;
  }

  /**
   * The allocator of a device under its own type; made by the first call.
   *
   * @throws IllegalStateException if the bound {@link AllocatorFactory} makes another kind
   */
  public CachingAllocator getCachingAllocator(int ordinal) {
    Allocator allocator = getAllocator(ordinal);
    if (allocator instanceof CachingAllocator caching) {
      return caching;
    }
    throw new IllegalStateException(
        "a CachingAllocator is wanted for device "
            + ordinal
            + ", the bound AllocatorFactory made a "
            + allocator.getClass().getSimpleName()
            + "; inject Allocator, or bind a factory that makes a CachingAllocator");
  }

  /** The workspace of a device; made by the first call. */
  public synchronized Workspace getWorkspace(int ordinal) {
    requireOpen();
    Workspace workspace = workspaces.get(ordinal);
    if (workspace == null) {
      workspace = made(workspaceFactory.create(getAllocator(ordinal)), "WorkspaceFactory");
      workspaces.put(ordinal, workspace);
    }
    return workspace;
  }

  /** The buffer pool of a device; made by the first call. */
  public synchronized BufferPool getBufferPool(int ordinal) {
    requireOpen();
    BufferPool pool = bufferPools.get(ordinal);
    if (pool == null) {
      pool = made(bufferPoolFactory.create(getAllocator(ordinal)), "BufferPoolFactory");
      bufferPools.put(ordinal, pool);
    }
    return pool;
  }

  /** The pool of page-locked buffers of a device; made by the first call. */
  public synchronized PinnedPool getPinnedPool(int ordinal) {
    requireOpen();
    PinnedPool pool = pinnedPools.get(ordinal);
    if (pool == null) {
      pool = made(pinnedPoolFactory.create(getDevice(ordinal)), "PinnedPoolFactory");
      pinnedPools.put(ordinal, pool);
    }
    return pool;
  }

  /** The pool of streams of a device; made by the first call. */
  public synchronized StreamPool getStreamPool(int ordinal) {
    requireOpen();
    StreamPool pool = streamPools.get(ordinal);
    if (pool == null) {
      pool = made(streamPoolFactory.create(getDevice(ordinal)), "StreamPoolFactory");
      streamPools.put(ordinal, pool);
    }
    return pool;
  }

  /** The admission to the memory of a device; made by the first call. */
  public synchronized Admission getAdmission(int ordinal) {
    requireOpen();
    Admission admission = admissions.get(ordinal);
    if (admission == null) {
      admission = made(admissionFactory.create(getAllocator(ordinal)), "AdmissionFactory");
      admissions.put(ordinal, admission);
    }
    return admission;
  }

  /** All devices, best first; what their allocators keep free counts as free. */
  public synchronized DevicePool getDevicePool() {
    // Tiles ask for theirs while a close, which has the monitor, waits for them.
    List<Allocator> all = new ArrayList<>();
    for (Device device : getBackend().getDevices()) {
      all.add(getAllocator(device.getOrdinal()));
    }
    return DevicePool.of(getBackend()).withAllocators(device -> all.get(device.getOrdinal()));
  }

  /**
   * The scatter over all devices, whose tasks find their device's allocator and workspace; made by
   * the first call.
   */
  public synchronized Scatter getScatter() {
    requireOpen();
    Scatter own = scatter;
    if (own == null) {
      // Before the scatter, so that they are closed after it.
      List<Allocator> allocators = new ArrayList<>();
      List<Workspace> workspaces = new ArrayList<>();
      for (Device device : getBackend().getDevices()) {
        allocators.add(getAllocator(device.getOrdinal()));
        workspaces.add(getWorkspace(device.getOrdinal()));
      }
      own =
          made(
              scatterFactory.create(
                  Scatter.builder(getDevicePool())
                      .allocators(device -> allocators.get(device.getOrdinal()))
                      .workspaces(device -> workspaces.get(device.getOrdinal()))),
              "ScatterFactory");
      scatter = own;
    }
    return own;
  }

  /** One buffer pool over all devices; made by the first call. */
  public synchronized BufferPool getBufferPool() {
    requireOpen();
    BufferPool pool = allBuffers;
    if (pool == null) {
      List<Allocator> all =
          getBackend().getDevices().stream()
              .map(device -> getAllocator(device.getOrdinal()))
              .toList();
      pool = BufferPool.builder(all).build();
      allBuffers = pool;
      made.push(pool);
    }
    return pool;
  }

  /** Takes what a factory of the application has made into care. */
  private <T extends AutoCloseable> T made(@Nullable T part, String factory) {
    if (part == null) {
      throw new IllegalStateException(
          "the bound "
              + factory
              + " returned null, where a part is wanted; have it return one or throw");
    }
    made.push(part);
    return part;
  }

  private void requireOpen() {
    if (closed) {
      throw new ClosedException(
          "the GpuResources of this injector",
          "nothing is made of it any more",
          "close it last, or make a new injector");
    }
  }

  /**
   * Closes everything in order. If something fails, as an allocator does whose allocations are
   * still live, the rest is closed all the same and the first failure thrown with the others
   * suppressed. What failed is closed once more when this is called again.
   */
  @Override
  public synchronized void close() {
    closed = true;
    Batch.forEach(
        List.copyOf(made),
        part -> {
          close(part);
          made.removeIf(each -> each == part);
        });
  }

  private static void close(AutoCloseable part) {
    try {
      part.close();
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }
}
