package org.vramkit.guice;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
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
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.allocator.ElementType;
import org.vramkit.api.allocator.Workspace;
import org.vramkit.api.allocator.WorkspaceLease;
import org.vramkit.api.device.Backend;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Stream;
import org.vramkit.api.discovery.Backends;
import org.vramkit.api.error.BackendNotAvailableException;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.pool.buffer.BufferPool;
import org.vramkit.pool.buffer.TypedBuffer;
import org.vramkit.pool.decorator.LimitingAllocator;
import org.vramkit.pool.direct.DirectAllocator;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimBackendProvider;

@DisplayName("The Guice module")
class GpuModuleTest {

  /** What a user's class looks like. */
  static final class Trainer {
    final Allocator first;
    final Allocator second;
    final Workspace workspace;
    final BufferPool buffers;

    @Inject
    Trainer(
        @OnDevice(0) Allocator first,
        @OnDevice(1) Allocator second,
        @OnDevice(1) Workspace workspace,
        BufferPool buffers) {
      this.first = first;
      this.second = second;
      this.workspace = workspace;
      this.buffers = buffers;
    }
  }

  /** Opens this simulator instead of searching the class path. */
  private static final class Opening extends AbstractModule {
    private final SimBackend backend;

    Opening(SimBackend backend) {
      this.backend = backend;
    }

    @Override
    protected void configure() {
      OptionalBinder.newOptionalBinder(binder(), BackendOpener.class)
          .setBinding()
          .toInstance(() -> backend);
    }
  }

  private static SimBackend twoDevices() {
    return SimBackend.builder().device(DeviceProfile.H200).device(DeviceProfile.RTX_4090).build();
  }

  @Test
  @DisplayName("gives each device its allocator, workspace and buffer pool, once")
  void perDevice() {
    SimBackend backend = twoDevices();
    Injector injector = Guice.createInjector(GpuModule.create(), new Opening(backend));
    try (GpuResources resources = injector.getInstance(GpuResources.class)) {
      Trainer trainer = injector.getInstance(Trainer.class);
      assertEquals(0, trainer.first.getDevice().getOrdinal());
      assertEquals(1, trainer.second.getDevice().getOrdinal());
      assertNotSame(trainer.first, trainer.second);
      assertSame(trainer.first, injector.getInstance(Allocator.class));
      assertSame(trainer.second, resources.getAllocator(1));
      assertSame(backend.getDevice(0), injector.getInstance(Device.class));
      try (WorkspaceLease lease =
              trainer.workspace.acquire(5000, backend.getDevice(1).getDefaultStream());
          TypedBuffer buffer =
              trainer.buffers.acquire(
                  ElementType.INT8, 9, backend.getDevice(0).getDefaultStream())) {
        assertEquals(8192, lease.getSize());
        assertEquals(9, buffer.getCount());
      }
    }
    assertEquals(List.of(), backend.getLeaks());
    assertEquals(List.of(), backend.getHazards());
  }

  @Test
  @DisplayName("closes dependent objects first, and provides nothing afterwards")
  void shutdown() {
    SimBackend backend = twoDevices();
    Injector injector = Guice.createInjector(GpuModule.create(), new Opening(backend));
    GpuResources resources = injector.getInstance(GpuResources.class);
    injector
        .getInstance(Workspace.class)
        .acquire(1024, backend.getDevice(0).getDefaultStream())
        .close();
    resources.close();
    resources.close();
    assertEquals(List.of(), backend.getLeaks());
    ProvisionException e =
        assertThrows(ProvisionException.class, () -> injector.getInstance(Allocator.class));
    assertInstanceOf(ClosedException.class, e.getCause());
  }

  @Test
  @DisplayName("closes the rest and reports it when an allocation is still live")
  void liveAtShutdown() {
    SimBackend backend = twoDevices();
    Injector injector = Guice.createInjector(GpuModule.create(), new Opening(backend));
    GpuResources resources = injector.getInstance(GpuResources.class);
    Allocation live = resources.getAllocator(0).allocate(1000);
    resources.getWorkspace(1).acquire(1024, backend.getDevice(1).getDefaultStream()).close();
    IllegalStateException e = assertThrows(IllegalStateException.class, resources::close);
    assertTrue(e.toString().contains("1 open allocation of"), e.toString());
    assertTrue(live.getSize() == 1000);
    assertTrue(backend.getLeaks().stream().noneMatch(leak -> leak.device() == 1), "device 1");
  }

  @Test
  @DisplayName("17.25 closes what it could not close when it is asked again, and only that")
  void closedAgain() {
    SimBackend backend = twoDevices();
    Injector injector = Guice.createInjector(GpuModule.create(), new Opening(backend));
    GpuResources resources = injector.getInstance(GpuResources.class);
    Allocator allocator = resources.getAllocator(0);
    Allocation live = allocator.allocate(1000);
    assertThrows(IllegalStateException.class, resources::close);
    live.close();
    resources.close();
    assertThrows(ClosedException.class, () -> allocator.allocate(1000));
    assertEquals(0, allocator.getStatistics().reserved().current());
    assertEquals(List.of(), backend.getLeaks());
    long calls = backend.getDriverCalls().getTotal();
    resources.close();
    assertEquals(calls, backend.getDriverCalls().getTotal());
  }

  @Test
  @DisplayName("closes the rest also after an Error")
  void errorAtShutdown() {
    SimBackend backend = twoDevices();
    Injector injector =
        Guice.createInjector(
            GpuModule.create(),
            new Opening(backend),
            new AbstractModule() {
              @Override
              protected void configure() {
                OptionalBinder.newOptionalBinder(binder(), WorkspaceFactory.class)
                    .setBinding()
                    .toInstance(GpuModuleTest::failingToClose);
              }
            });
    GpuResources resources = injector.getInstance(GpuResources.class);
    resources.getAllocator(0).allocate(1000).close();
    resources.getWorkspace(0);
    resources.getWorkspace(1);
    LinkageError e = assertThrows(LinkageError.class, resources::close);
    assertEquals("device 1", e.getMessage());
    assertEquals("device 0", e.getSuppressed()[0].getMessage());
    assertEquals(List.of(), backend.getLeaks());
  }

  /** Closes with an exception on device 0, with an error on others. */
  private static Workspace failingToClose(Allocator allocator) {
    return (Workspace)
        Proxy.newProxyInstance(
            GpuModuleTest.class.getClassLoader(),
            new Class<?>[] {Workspace.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("close")) {
                int ordinal = allocator.getDevice().getOrdinal();
                throw ordinal == 0
                    ? new IllegalStateException("device 0")
                    : new LinkageError("device 1");
              }
              return method.invoke(allocator, arguments);
            });
  }

  private static Injector injector(SimBackend backend, AllocatorFactory allocators) {
    return Guice.createInjector(
        GpuModule.create(),
        new Opening(backend),
        new AbstractModule() {
          @Override
          protected void configure() {
            OptionalBinder.newOptionalBinder(binder(), AllocatorFactory.class)
                .setBinding()
                .toInstance(allocators);
          }
        });
  }

  @Test
  @SuppressWarnings("NullAway") // that is what it is about
  @DisplayName("17.24 names the factory that returned null, and closes nevertheless")
  void madeNothing() {
    SimBackend backend = twoDevices();
    Injector injector = injector(backend, device -> null);
    try (GpuResources resources = injector.getInstance(GpuResources.class)) {
      String message =
          String.valueOf(
              assertThrows(IllegalStateException.class, () -> resources.getAllocator(0))
                  .getMessage());
      assertTrue(message.startsWith("the bound AllocatorFactory returned null"), message);
    }
    assertThrows(NullPointerException.class, () -> GpuModule.forBackend(null));
  }

  @Test
  @DisplayName("lets a user replace the allocator")
  void replaced() {
    SimBackend backend = twoDevices();
    Injector injector =
        injector(
            backend,
            device -> LimitingAllocator.over(DirectAllocator.builder(device).build(), 1000));
    try (GpuResources resources = injector.getInstance(GpuResources.class)) {
      assertInstanceOf(LimitingAllocator.class, injector.getInstance(Allocator.class));
      assertSame(resources.getAllocator(0), injector.getInstance(Allocator.class));
    }
  }

  @Test
  @DisplayName("lets a user set how much a buffer pool keeps")
  void buffersReplaced() {
    BufferPoolFactory keepingNothing =
        allocator -> BufferPool.builder(List.of(allocator)).byteBudget(0).build();
    Injector injector =
        Guice.createInjector(
            GpuModule.create(),
            new Opening(twoDevices()),
            new AbstractModule() {
              @Override
              protected void configure() {
                OptionalBinder.newOptionalBinder(binder(), BufferPoolFactory.class)
                    .setBinding()
                    .toInstance(keepingNothing);
              }
            });
    try (GpuResources resources = injector.getInstance(GpuResources.class)) {
      BufferPool buffers = injector.getInstance(BufferPool.class);
      Stream stream = resources.getBackend().getDevice(0).getDefaultStream();
      buffers.acquire(ElementType.INT8, 4096, stream).close();
      assertEquals(0, buffers.getCachedBytes(0));
    }
  }

  @Test
  @DisplayName("takes a backend by name, and fails with discovery's own words")
  void forced() {
    Injector sim = Guice.createInjector(GpuModule.forBackend("sim"));
    try (GpuResources resources = sim.getInstance(GpuResources.class)) {
      assertEquals("sim", sim.getInstance(Backend.class).getName());
      assertEquals(1, resources.getBackend().getDevices().size());
    }
    Injector unknown = Guice.createInjector(GpuModule.forBackend("abacus"));
    ProvisionException e =
        assertThrows(ProvisionException.class, () -> unknown.getInstance(Allocator.class));
    var cause = assertInstanceOf(BackendNotAvailableException.class, e.getCause());
    BackendNotAvailableException own =
        assertThrows(BackendNotAvailableException.class, () -> Backends.open("abacus"));
    assertEquals(own.getMessage(), cause.getMessage());
  }

  @Test
  @DisplayName(
      "17.21 names how many devices there are when one too many is wanted, and how to have it")
  void noSuchDevice() {
    Injector injector = Guice.createInjector(GpuModule.over(GpuModuleTest::twoDevices));
    try (GpuResources resources = injector.getInstance(GpuResources.class)) {
      InvalidArgumentException e =
          assertThrows(InvalidArgumentException.class, () -> resources.getAllocator(2));
      for (String part :
          List.of(
              "device 2 was requested, but backend 'sim' has 2",
              "GpuModule.over(opener)",
              "-D" + SimBackendProvider.DEVICES_PROPERTY + "=")) {
        assertTrue(e.toString().contains(part), () -> part + " in " + e);
      }
    }
  }

  @Test
  @DisplayName(
      "17.21 takes a backend of the application's making, opened when wanted, and closes it")
  void over() {
    SimBackend backend = twoDevices();
    AtomicInteger opened = new AtomicInteger();
    Injector injector =
        Guice.createInjector(
            GpuModule.over(
                () -> {
                  opened.incrementAndGet();
                  return backend;
                }));
    assertEquals(0, opened.get());
    try (GpuResources resources = injector.getInstance(GpuResources.class)) {
      assertEquals(1, injector.getInstance(Trainer.class).second.getDevice().getOrdinal());
      assertSame(backend, resources.getBackend());
    }
    assertEquals(1, opened.get());
    assertThrows(ClosedException.class, () -> backend.getDevice(0).createStream());
    assertEquals(List.of(), backend.getLeaks());
  }

  @Test
  @DisplayName("17.21 finds the second simulated device that the property asks for")
  void property() {
    System.setProperty(SimBackendProvider.DEVICES_PROPERTY, "2");
    Injector injector = Guice.createInjector(GpuModule.forBackend("sim"));
    try (GpuResources resources = injector.getInstance(GpuResources.class)) {
      assertEquals(1, resources.getAllocator(1).getDevice().getOrdinal());
    } finally {
      System.clearProperty(SimBackendProvider.DEVICES_PROPERTY);
    }
  }

  @Test
  @DisplayName("leaves no stream, event, segment or thread behind when started 100 times")
  @Tag("nightly")
  void hundredTimes() {
    int threadsBefore = Thread.activeCount();
    for (int i = 0; i < 100; i++) {
      SimBackend backend = twoDevices();
      Injector injector = Guice.createInjector(GpuModule.create(), new Opening(backend));
      try (GpuResources resources = injector.getInstance(GpuResources.class)) {
        Trainer trainer = injector.getInstance(Trainer.class);
        try (Stream stream = backend.getDevice(1).createStream();
            Allocation block = trainer.second.allocate(100_000, stream);
            WorkspaceLease lease = trainer.workspace.acquire(5000, stream);
            TypedBuffer buffer =
                trainer.buffers.acquire(
                    ElementType.INT8, 9, backend.getDevice(0).getDefaultStream())) {
          stream.fill(block.getAddress(), (byte) 1, block.getSize());
          stream.fill(lease.getAddress(), (byte) 2, lease.getSize());
          buffer.copyFrom(new byte[9]);
        }
        assertSame(backend, resources.getBackend());
      }
      assertEquals(List.of(), backend.getLeaks(), "start " + i);
      assertEquals(List.of(), backend.getHazards(), "start " + i);
    }
    assertTrue(
        Thread.activeCount() <= threadsBefore,
        Thread.activeCount() + " threads, " + threadsBefore + " before");
  }
}
