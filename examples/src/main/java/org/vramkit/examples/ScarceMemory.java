package org.vramkit.examples;

import java.time.Duration;
import java.util.List;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.device.Backend;
import org.vramkit.api.device.Stream;
import org.vramkit.api.discovery.Backends;
import org.vramkit.api.units.ByteSize;
import org.vramkit.pool.caching.Backup;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.pool.caching.PrivatePool;
import org.vramkit.pressure.Admission;
import org.vramkit.pressure.Demand;
import org.vramkit.pressure.Grant;
import org.vramkit.pressure.Retry;
import org.vramkit.pressure.SharedAllocation;
import org.vramkit.pressure.SpillStore;
import org.vramkit.pressure.Spillable;
import org.vramkit.pressure.SpillableLease;
import org.vramkit.pressure.WaitingAllocator;

/** Shows each tool for work that needs more memory than the device has at once. */
public final class ScarceMemory {
  private static final long GIB = ByteSize.GIB;

  private ScarceMemory() {}

  /** Runs on the backend of the class path. */
  public static void main(String[] arguments) {
    try (Backend backend = Backends.open()) {
      System.out.println(run(backend));
    }
  }

  static String run(Backend backend) {
    try (CachingAllocator allocator = CachingAllocator.create(backend.getDevice(0));
        Stream stream = backend.getDevice(0).createStream()) {
      return inTurn(allocator)
          + ", "
          + waiting(allocator, stream)
          + ", "
          + split(allocator, stream)
          + ", "
          + spilled(allocator, stream)
          + ", "
          + suspended(allocator, stream);
    }
  }

  /** Makes a job wait for its memory; the admission learns how much this kind of job needs. */
  static String inTurn(Allocator allocator) {
    Admission admission = Admission.over(allocator).build();
    Demand demand = Demand.learned("index-build", 2 * GIB);
    try (Grant grant = admission.acquire(demand, Duration.ofMinutes(5));
        Allocation index = grant.getAllocator().allocate(GIB)) {
      index.getAddress();
    }
    return "learned: " + ByteSize.format(admission.getEstimate("index-build").bytes());
  }

  /**
   * Makes an allocation wait until other users free memory; it is freed when its last owner closes
   * it.
   */
  static String waiting(Allocator allocator, Stream stream) {
    WaitingAllocator memory = WaitingAllocator.over(allocator, Duration.ofSeconds(10));
    try (SharedAllocation mine = SharedAllocation.of(memory.allocate(GIB, stream));
        SharedAllocation theirs = mine.retain()) {
      return "owners: " + theirs.getOwners();
    }
  }

  /** Runs a task whose input is too large on halves of the input. */
  static String split(Allocator allocator, Stream stream) {
    Retry retry = Retry.over(allocator);
    long tooLarge = 2 * allocator.getDevice().getProperties().totalMemoryBytes();
    List<Long> parts =
        retry.withSplit(
            "join",
            tooLarge,
            bytes -> List.of(bytes / 2, bytes - bytes / 2),
            (bytes, memory) -> {
              try (Allocation scratch = memory.allocate(bytes / 2, stream)) {
                return scratch.getSize();
              }
            });
    return "parts: " + parts.size();
  }

  /** Moves idle buffers to host memory and back. */
  static String spilled(Allocator allocator, Stream stream) {
    try (SpillStore store = SpillStore.over(allocator).hostLimit(64 * ByteSize.MIB).build();
        Spillable table = store.create(ByteSize.MIB, 0)) {
      try (SpillableLease lease = table.materialize(stream)) {
        stream.fill(lease.getAddress(), (byte) 7, lease.getSize());
      }
      store.spill(ByteSize.MIB);
      try (SpillableLease lease = table.materialize(stream)) {
        stream.fill(lease.getAddress(), (byte) 8, lease.getSize());
      }
      return "came back: " + store.getStatistics().restores();
    }
  }

  /** Suspends the memory of a paused model, so that others can use it. */
  static String suspended(CachingAllocator allocator, Stream stream) {
    try (PrivatePool model = allocator.createPool();
        Allocation weights = model.getAllocator().allocate(64 * ByteSize.MIB, stream)) {
      stream.fill(weights.getAddress(), (byte) 7, weights.getSize());
      model.suspend(Backup.HOST, stream);
      long away = model.getSuspendedBytes();
      model.resume(stream);
      return "suspended: " + ByteSize.format(away);
    }
  }
}
