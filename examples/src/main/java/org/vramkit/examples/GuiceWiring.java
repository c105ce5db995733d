package org.vramkit.examples;

import com.google.inject.AbstractModule;
import com.google.inject.Guice;
import com.google.inject.Injector;
import com.google.inject.multibindings.OptionalBinder;
import jakarta.inject.Inject;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.units.ByteSize;
import org.vramkit.guice.AllocatorFactory;
import org.vramkit.guice.GpuModule;
import org.vramkit.guice.GpuResources;
import org.vramkit.guice.OnDevice;
import org.vramkit.pool.caching.CachingAllocator;

/** Injects the allocator of device 1 with Guice and closes all GPU resources at the end. */
public final class GuiceWiring {
  private final Allocator allocator;

  @Inject
  GuiceWiring(@OnDevice(1) Allocator allocator) {
    this.allocator = allocator;
  }

  /** Runs on the backend of the class path, which needs two devices. */
  public static void main(String[] arguments) {
    System.out.println(run(GpuModule.create()));
  }

  static String run(GpuModule module) {
    Injector injector = Guice.createInjector(module, new Limits());
    try (GpuResources resources = injector.getInstance(GpuResources.class)) {
      return injector.getInstance(GuiceWiring.class).allocate()
          + " of "
          + resources.getBackend().getName();
    }
  }

  private String allocate() {
    try (Allocation held = allocator.allocate(1 << 20)) {
      return held.getSize() + " bytes on device " + allocator.getDevice().getOrdinal();
    }
  }

  /** Sets the options of each device's allocator. */
  private static final class Limits extends AbstractModule {
    @Override
    protected void configure() {
      OptionalBinder.newOptionalBinder(binder(), AllocatorFactory.class)
          .setBinding()
          .toInstance(device -> CachingAllocator.builder(device).limit(ByteSize.GIB).build());
    }
  }
}
