package org.vramkit.guice;

import com.google.inject.AbstractModule;
import com.google.inject.Provider;
import com.google.inject.Singleton;
import com.google.inject.multibindings.OptionalBinder;
import java.util.Objects;
import java.util.function.BiFunction;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.allocator.Workspace;
import org.vramkit.api.device.Backend;
import org.vramkit.api.device.Device;
import org.vramkit.api.discovery.Backends;
import org.vramkit.api.units.ByteSize;
import org.vramkit.partition.device.DevicePool;
import org.vramkit.partition.scatter.Scatter;
import org.vramkit.partition.scatter.ScatterBuilder;
import org.vramkit.pool.buffer.BufferPool;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.pool.pinned.PinnedPool;
import org.vramkit.pool.stream.StreamPool;
import org.vramkit.pool.workspace.WorkspacePool;
import org.vramkit.pressure.Admission;
import org.vramkit.pressure.Retry;
import org.vramkit.pressure.SpillStore;

/**
 * Binds a backend and its devices, by default of the best backend on the class path. All bound
 * objects are created on first use. Close the injector's {@link GpuResources} at the end.
 *
 * <p>Each device has these bindings, qualified with {@link OnDevice} and, for device 0, also
 * unqualified: {@link Device}, {@link Allocator}, {@link Workspace}, {@link BufferPool}, {@link
 * PinnedPool}, {@link StreamPool}, {@link Admission}, {@link SpillStore} and {@link Retry}. {@link
 * CachingAllocator} is bound to the device's allocator, for classes that need private pools or the
 * history.
 *
 * <p>All devices together have a {@link DevicePool}, a {@link Scatter} that uses their allocators
 * and workspaces, and a {@link BufferPool} qualified with {@link AllDevices}.
 *
 * <p>To replace one of these objects, set the binding of its factory:
 *
 * <pre>{@code
 * OptionalBinder.newOptionalBinder(binder(), AllocatorFactory.class)
 *     .setBinding().toInstance(device -> CachingAllocator.builder(device).limit(bytes).build());
 * }</pre>
 */
public final class GpuModule extends AbstractModule {
  /** Number of bound ordinals. Injecting an ordinal that the backend lacks fails. */
  private static final int MAX_DEVICES = 64;

  private final BackendOpener opener;

  private GpuModule(BackendOpener opener) {
    this.opener = opener;
  }

  /** Creates a module with the best available backend. */
  public static GpuModule create() {
    return new GpuModule(Backends::open);
  }

  /**
   * Creates a module with a backend by its name.
   *
   * @param backend the name, such as {@code sim}
   */
  public static GpuModule forBackend(String backend) {
    Objects.requireNonNull(backend, "backend");
    return new GpuModule(() -> Backends.open(backend));
  }

  /**
   * Creates a module with a backend that the application opens, such as a simulator with two
   * devices:
   *
   * <pre>{@code
   * GpuModule.over(
   *     () -> SimBackend.builder().device(DeviceProfile.H200).device(DeviceProfile.H200).build());
   * }</pre>
   *
   * @param opener called once, on first use; {@link GpuResources} closes the backend
   */
  public static GpuModule over(BackendOpener opener) {
    return new GpuModule(Objects.requireNonNull(opener, "opener"));
  }

  @Override
  protected void configure() {
    OptionalBinder.newOptionalBinder(binder(), BackendOpener.class).setDefault().toInstance(opener);
    OptionalBinder.newOptionalBinder(binder(), AllocatorFactory.class)
        .setDefault()
        .toInstance(CachingAllocator::create);
    OptionalBinder.newOptionalBinder(binder(), WorkspaceFactory.class)
        .setDefault()
        .toInstance(WorkspacePool::create);
    OptionalBinder.newOptionalBinder(binder(), BufferPoolFactory.class)
        .setDefault()
        .toInstance(BufferPool::create);
    OptionalBinder.newOptionalBinder(binder(), PinnedPoolFactory.class)
        .setDefault()
        .toInstance(PinnedPool::create);
    OptionalBinder.newOptionalBinder(binder(), StreamPoolFactory.class)
        .setDefault()
        .toInstance(StreamPool::create);
    OptionalBinder.newOptionalBinder(binder(), AdmissionFactory.class)
        .setDefault()
        .toInstance(allocator -> Admission.over(allocator).build());
    OptionalBinder.newOptionalBinder(binder(), SpillStoreFactory.class)
        .setDefault()
        .toInstance(allocator -> SpillStore.over(allocator).hostLimit(ByteSize.GIB).build());
    OptionalBinder.newOptionalBinder(binder(), ScatterFactory.class)
        .setDefault()
        .toInstance(ScatterBuilder::build);
    bind(GpuResources.class).in(Singleton.class);
    Provider<GpuResources> resources = getProvider(GpuResources.class);
    bind(Backend.class).toProvider(() -> resources.get().getBackend());
    bind(DevicePool.class).toProvider(() -> resources.get().getDevicePool());
    bind(Scatter.class).toProvider(() -> resources.get().getScatter());
    bind(BufferPool.class)
        .annotatedWith(AllDevices.class)
        .toProvider(() -> resources.get().getBufferPool());
    bindPerDevice(Device.class, resources, GpuResources::getDevice);
    bindPerDevice(Allocator.class, resources, GpuResources::getAllocator);
    bindPerDevice(CachingAllocator.class, resources, GpuResources::getCachingAllocator);
    bindPerDevice(Workspace.class, resources, GpuResources::getWorkspace);
    bindPerDevice(BufferPool.class, resources, GpuResources::getBufferPool);
    bindPerDevice(PinnedPool.class, resources, GpuResources::getPinnedPool);
    bindPerDevice(StreamPool.class, resources, GpuResources::getStreamPool);
    bindPerDevice(Admission.class, resources, GpuResources::getAdmission);
    bindPerDevice(SpillStore.class, resources, GpuResources::getSpillStore);
    bindPerDevice(Retry.class, resources, GpuResources::getRetry);
  }

  private <T> void bindPerDevice(
      Class<T> type, Provider<GpuResources> resources, BiFunction<GpuResources, Integer, T> part) {
    bind(type).toProvider(() -> part.apply(resources.get(), 0));
    for (int i = 0; i < MAX_DEVICES; i++) {
      int ordinal = i;
      bind(type)
          .annotatedWith(new OnDeviceKey(ordinal))
          .toProvider(() -> part.apply(resources.get(), ordinal));
    }
  }
}
