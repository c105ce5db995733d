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
import org.vramkit.partition.device.DevicePool;
import org.vramkit.partition.scatter.Scatter;
import org.vramkit.partition.scatter.ScatterBuilder;
import org.vramkit.pool.buffer.BufferPool;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.pool.pinned.PinnedPool;
import org.vramkit.pool.stream.StreamPool;
import org.vramkit.pool.workspace.WorkspacePool;
import org.vramkit.pressure.Admission;

/**
 * Binds a backend, the one that the class path offers unless another is given, and for each device
 * a {@link Device}, an {@link Allocator}, a {@link Workspace}, a {@link BufferPool}, a {@link
 * PinnedPool}, a {@link StreamPool} and an {@link Admission}, under {@link OnDevice} with its
 * ordinal and, for device 0, without. A {@link CachingAllocator} is the device's allocator under
 * its own type, for a class that needs private pools or the history. Over all devices it binds a
 * {@link DevicePool}, a {@link Scatter} whose tasks find these allocators and workspaces, and,
 * under {@link AllDevices}, one {@link BufferPool}. All are made when first wanted. Close the
 * injector's {@link GpuResources} at the end.
 *
 * <p>To replace a part, set the binding of its factory:
 *
 * <pre>{@code
 * OptionalBinder.newOptionalBinder(binder(), AllocatorFactory.class)
 *     .setBinding().toInstance(device -> CachingAllocator.builder(device).limit(bytes).build());
 * }</pre>
 */
public final class GpuModule extends AbstractModule {
  /** Ordinals that are bound; one beyond the backend's devices fails when it is wanted. */
  private static final int MAX_DEVICES = 64;

  private final BackendOpener opener;

  private GpuModule(BackendOpener opener) {
    this.opener = opener;
  }

  /** With the backend that discovery chooses. */
  public static GpuModule create() {
    return new GpuModule(Backends::open);
  }

  /**
   * With a backend by its name, whatever else is on the class path.
   *
   * @param backend such as {@code sim}
   */
  public static GpuModule forBackend(String backend) {
    Objects.requireNonNull(backend, "backend");
    return new GpuModule(() -> Backends.open(backend));
  }

  /**
   * With a backend of the application's own making, such as a simulator with two devices:
   *
   * <pre>{@code
   * GpuModule.over(
   *     () -> SimBackend.builder().device(DeviceProfile.H200).device(DeviceProfile.H200).build());
   * }</pre>
   *
   * @param opener called once, when something of a device is first wanted; {@link GpuResources}
   *     closes what it opens
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
