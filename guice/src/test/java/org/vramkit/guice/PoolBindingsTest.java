package org.vramkit.guice;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.inject.AbstractModule;
import com.google.inject.Guice;
import com.google.inject.Injector;
import com.google.inject.ProvisionException;
import com.google.inject.multibindings.OptionalBinder;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.pool.direct.DirectAllocator;
import org.vramkit.pool.pinned.PinnedPool;
import org.vramkit.pool.pinned.PooledPinnedBuffer;
import org.vramkit.pool.stream.StreamPool;
import org.vramkit.pressure.Admission;
import org.vramkit.pressure.Demand;
import org.vramkit.pressure.Retry;
import org.vramkit.pressure.SpillStore;
import org.vramkit.pressure.Spillable;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;

@DisplayName("42.27 The Guice module's pools")
class PoolBindingsTest {
  private static SimBackend twoDevices() {
    return SimBackend.builder().device(DeviceProfile.H200).device(DeviceProfile.RTX_4090).build();
  }

  /** A class that stages data through page-locked memory on streams of its own. */
  static final class Loader {
    final CachingAllocator allocator;
    final PinnedPool pinned;
    final StreamPool streams;

    @Inject
    Loader(
        @OnDevice(1) CachingAllocator allocator,
        @OnDevice(1) PinnedPool pinned,
        @OnDevice(1) StreamPool streams) {
      this.allocator = allocator;
      this.pinned = pinned;
      this.streams = streams;
    }
  }

  @Test
  @DisplayName("gives each device its caching allocator, page-locked pool and stream pool")
  void pools() {
    SimBackend backend = twoDevices();
    Injector injector = Guice.createInjector(GpuModule.over(() -> backend));
    try (GpuResources resources = injector.getInstance(GpuResources.class)) {
      Loader loader = injector.getInstance(Loader.class);
      assertSame(resources.getAllocator(1), loader.allocator);
      assertSame(loader.pinned, resources.getPinnedPool(1));
      assertSame(loader.streams, resources.getStreamPool(1));
      assertNotSame(loader.pinned, injector.getInstance(PinnedPool.class));
      assertEquals(0, injector.getInstance(StreamPool.class).getDevice().getOrdinal());
      Stream stream = loader.streams.next();
      assertSame(backend.getDevice(1), stream.getDevice());
      try (Allocation memory = loader.allocator.allocate(256, stream);
          PooledPinnedBuffer staged = loader.pinned.acquire(256)) {
        staged.getBytes().put(new byte[256]);
        staged.copyToDevice(memory.getAddress(), stream);
      }
    }
    assertEquals(List.of(), backend.getLeaks());
    assertEquals(List.of(), backend.getHazards());
  }

  @Test
  @DisplayName("45.1 gives each device its admission, with the limit of a bound factory")
  void admissions() {
    SimBackend backend = twoDevices();
    AbstractModule limited =
        new AbstractModule() {
          @Override
          protected void configure() {
            OptionalBinder.newOptionalBinder(binder(), AdmissionFactory.class)
                .setBinding()
                .toInstance(allocator -> Admission.over(allocator).limit(1000).build());
          }
        };
    Injector injector = Guice.createInjector(GpuModule.over(() -> backend), limited);
    try (GpuResources resources = injector.getInstance(GpuResources.class)) {
      Admission gate = injector.getInstance(Admission.class);
      assertSame(gate, resources.getAdmission(0));
      assertNotSame(gate, resources.getAdmission(1));
      gate.acquire(Demand.of("job", 1000), Duration.ZERO).close();
      assertThrows(
          DeviceOutOfMemoryException.class,
          () -> gate.acquire(Demand.of("job", 1001), Duration.ZERO));
    }
    assertEquals(List.of(), backend.getLeaks());
  }

  @Test
  @DisplayName("45.2 gives each device a spill store and a retry over its allocator")
  void spillStores() {
    SimBackend backend = twoDevices();
    Injector injector = Guice.createInjector(GpuModule.over(() -> backend));
    try (GpuResources resources = injector.getInstance(GpuResources.class)) {
      SpillStore store = injector.getInstance(SpillStore.class);
      assertSame(store, resources.getSpillStore(0));
      assertNotSame(store, resources.getSpillStore(1));
      Retry retry = injector.getInstance(Retry.class);
      assertSame(retry, resources.getRetry(0));
      assertNotSame(retry, resources.getRetry(1));
      try (Spillable table = store.create(128 << 20, 0)) {
        // More than the table's bytes are missing, because a driver can spare some of its own.
        long all = backend.getDevice(0).getMemoryInfo().freeBytes();
        table.materialize(backend.getDevice(0).getDefaultStream()).close();
        List<Long> parts =
            retry.withSplit(
                "job",
                all,
                bytes -> List.of(bytes / 2, bytes / 2),
                (bytes, memory) -> {
                  memory.allocate(bytes).close();
                  return bytes;
                });
        assertEquals(List.of(all), parts, "spilled, not split");
        assertFalse(table.isOnDevice());
      }
    }
    assertEquals(List.of(), backend.getLeaks());
  }

  @Test
  @DisplayName("says how to inject an allocator of another kind")
  void otherKind() {
    Injector injector =
        Guice.createInjector(
            GpuModule.over(PoolBindingsTest::twoDevices),
            new AbstractModule() {
              @Override
              protected void configure() {
                OptionalBinder.newOptionalBinder(binder(), AllocatorFactory.class)
                    .setBinding()
                    .toInstance(device -> DirectAllocator.builder(device).build());
              }
            });
    try (GpuResources resources = injector.getInstance(GpuResources.class)) {
      ProvisionException e =
          assertThrows(
              ProvisionException.class, () -> injector.getInstance(CachingAllocator.class));
      assertTrue(
          e.toString().contains("created a DirectAllocator; inject Allocator"), e.toString());
      assertSame(resources.getAllocator(0), injector.getInstance(Allocator.class));
    }
  }

  @Test
  @DisplayName("are made by factories that an application can replace")
  void factories() {
    Injector injector =
        Guice.createInjector(
            GpuModule.over(PoolBindingsTest::twoDevices),
            new AbstractModule() {
              @Override
              protected void configure() {
                OptionalBinder.newOptionalBinder(binder(), PinnedPoolFactory.class)
                    .setBinding()
                    .toInstance(device -> PinnedPool.builder(device).byteLimit(4096).build());
                OptionalBinder.newOptionalBinder(binder(), StreamPoolFactory.class)
                    .setBinding()
                    .toInstance(device -> StreamPool.builder(device).size(2).build());
              }
            });
    try (GpuResources resources = injector.getInstance(GpuResources.class)) {
      assertEquals(2, resources.getStreamPool(0).getSize());
      PinnedPool pinned = injector.getInstance(PinnedPool.class);
      assertThrows(DeviceOutOfMemoryException.class, () -> pinned.acquire(5000));
    }
  }
}
