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
import org.vramkit.pressure.Retry;
import org.vramkit.pressure.SpillStore;

/**
 * Owns the GPU resources of an injector, and creates them on first use. Close this object at the
 * end: it closes pools and workspaces, then allocators, then the backend. Safe for any thread. The
 * monitor of this object guards the resources, and is held while a resource is created.
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
  private final SpillStoreFactory spillStoreFactory;
  private final ScatterFactory scatterFactory;
  private final Map<Integer, Allocator> allocators = new TreeMap<>();
  private final Map<Integer, Workspace> workspaces = new TreeMap<>();
  private final Map<Integer, BufferPool> bufferPools = new TreeMap<>();
  private final Map<Integer, PinnedPool> pinnedPools = new TreeMap<>();
  private final Map<Integer, StreamPool> streamPools = new TreeMap<>();
  private final Map<Integer, Admission> admissions = new TreeMap<>();
  private final Map<Integer, SpillStore> spillStores = new TreeMap<>();
  private final Map<Integer, Retry> retries = new TreeMap<>();

  /** The created resources in the order of closing, newest first. */
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
      SpillStoreFactory spillStoreFactory,
      ScatterFactory scatterFactory) {
    this.opener = opener;
    this.allocatorFactory = allocatorFactory;
    this.workspaceFactory = workspaceFactory;
    this.bufferPoolFactory = bufferPoolFactory;
    this.pinnedPoolFactory = pinnedPoolFactory;
    this.streamPoolFactory = streamPoolFactory;
    this.admissionFactory = admissionFactory;
    this.spillStoreFactory = spillStoreFactory;
    this.scatterFactory = scatterFactory;
  }

  /** Returns the backend, which the first call opens. */
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
   * Returns a device.
   *
   * @throws InvalidArgumentException if there is no such device; the message gives the number of
   *     devices and how to add more
   */
  public synchronized Device getDevice(int ordinal) {
    Backend opened = getBackend();
    int count = opened.getDevices().size();
    if (ordinal < 0 || ordinal >= count) {
      throw new InvalidArgumentException(
          "device "
              + ordinal
              + " was requested, but backend '"
              + opened.getName()
              + "' has "
              + count
              + "; use a lower ordinal, or pass a backend with more devices to"
              + " GpuModule.over(opener); the simulator has 2 with -Dvramkit.sim.devices=2");
    }
    return opened.getDevice(ordinal);
  }

  /** Returns the allocator of a device, which the first call creates. */
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
   * Returns the allocator of a device as a {@link CachingAllocator}; the first call creates it.
   *
   * @throws IllegalStateException if the bound {@link AllocatorFactory} creates another type
   */
  public CachingAllocator getCachingAllocator(int ordinal) {
    Allocator allocator = getAllocator(ordinal);
    if (allocator instanceof CachingAllocator caching) {
      return caching;
    }
    throw new IllegalStateException(
        "a CachingAllocator was requested for device "
            + ordinal
            + ", but the bound AllocatorFactory created a "
            + allocator.getClass().getSimpleName()
            + "; inject Allocator, or bind a factory that creates a CachingAllocator");
  }

  /** Returns the workspace of a device, which the first call creates. */
  public synchronized Workspace getWorkspace(int ordinal) {
    requireOpen();
    Workspace workspace = workspaces.get(ordinal);
    if (workspace == null) {
      workspace = made(workspaceFactory.create(getAllocator(ordinal)), "WorkspaceFactory");
      workspaces.put(ordinal, workspace);
    }
    return workspace;
  }

  /** Returns the buffer pool of a device, which the first call creates. */
  public synchronized BufferPool getBufferPool(int ordinal) {
    requireOpen();
    BufferPool pool = bufferPools.get(ordinal);
    if (pool == null) {
      pool = made(bufferPoolFactory.create(getAllocator(ordinal)), "BufferPoolFactory");
      bufferPools.put(ordinal, pool);
    }
    return pool;
  }

  /** Returns the pool of page-locked buffers of a device, which the first call creates. */
  public synchronized PinnedPool getPinnedPool(int ordinal) {
    requireOpen();
    PinnedPool pool = pinnedPools.get(ordinal);
    if (pool == null) {
      pool = made(pinnedPoolFactory.create(getDevice(ordinal)), "PinnedPoolFactory");
      pinnedPools.put(ordinal, pool);
    }
    return pool;
  }

  /** Returns the stream pool of a device, which the first call creates. */
  public synchronized StreamPool getStreamPool(int ordinal) {
    requireOpen();
    StreamPool pool = streamPools.get(ordinal);
    if (pool == null) {
      pool = made(streamPoolFactory.create(getDevice(ordinal)), "StreamPoolFactory");
      streamPools.put(ordinal, pool);
    }
    return pool;
  }

  /** Returns the admission of a device, which the first call creates. */
  public synchronized Admission getAdmission(int ordinal) {
    requireOpen();
    Admission admission = admissions.get(ordinal);
    if (admission == null) {
      admission = made(admissionFactory.create(getAllocator(ordinal)), "AdmissionFactory");
      admissions.put(ordinal, admission);
    }
    return admission;
  }

  /** Returns the spill store of a device, which the first call creates. */
  public synchronized SpillStore getSpillStore(int ordinal) {
    requireOpen();
    SpillStore store = spillStores.get(ordinal);
    if (store == null) {
      store = made(spillStoreFactory.create(getAllocator(ordinal)), "SpillStoreFactory");
      spillStores.put(ordinal, store);
    }
    return store;
  }

  /** Returns the retry of a device, which the first call creates. */
  public synchronized Retry getRetry(int ordinal) {
    Allocator memory = getAllocator(ordinal);
    return retries.computeIfAbsent(ordinal, any -> Retry.over(memory));
  }

  /** Returns a pool of all devices, whose budgets count the allocators' free memory as free. */
  public synchronized DevicePool getDevicePool() {
    // Look up the allocators now: close() holds the monitor while it waits for tiles.
    List<Allocator> all = new ArrayList<>();
    for (Device device : getBackend().getDevices()) {
      all.add(getAllocator(device.getOrdinal()));
    }
    return DevicePool.of(getBackend()).withAllocators(device -> all.get(device.getOrdinal()));
  }

  /**
   * Returns the scatter over all devices, which uses the allocators and workspaces of these
   * resources; the first call creates it.
   */
  public synchronized Scatter getScatter() {
    requireOpen();
    Scatter own = scatter;
    if (own == null) {
      // Create these before the scatter, so that they are closed after it.
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

  /** Returns the buffer pool over all devices, which the first call creates. */
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

  /** Registers a resource of a factory, so that {@link #close} closes it. */
  private <T extends AutoCloseable> T made(@Nullable T part, String factory) {
    if (part == null) {
      throw new IllegalStateException(
          "the bound " + factory + " returned null; return a part, or throw");
    }
    made.push(part);
    return part;
  }

  private void requireOpen() {
    if (closed) {
      throw new ClosedException(
          "the GpuResources of this injector",
          "it creates no more parts",
          "close it last, or create a new injector");
    }
  }

  /**
   * Closes all resources in order. If one cannot be closed, such as an allocator with live
   * allocations, the others are closed nevertheless. Then the first failure is thrown, with later
   * failures as suppressed exceptions. A repeated call tries the failed resources again.
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
