package org.vramkit.pool.caching;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Map;
import net.bytebuddy.ByteBuddy;
import net.bytebuddy.dynamic.ClassFileLocator;
import net.bytebuddy.dynamic.DynamicType;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.device.Device;

/**
 * The pools' classes once more, with a defect in one of them: production code needs no switch for
 * it. What is not of the pools is shared with the test, so the copy is used through the API.
 */
final class DefectiveCopy extends ClassLoader {
  private static final String COPIED = "org.vramkit.pool.";

  private final PlantedDefect defect;

  DefectiveCopy(PlantedDefect defect) {
    super(DefectiveCopy.class.getClassLoader());
    this.defect = defect;
  }

  /** An allocator of the copy, with options by name as the builder of the original takes them. */
  Allocator allocator(Device device, Map<String, String> options) {
    try {
      Class<?> type = loadClass(CachingAllocator.class.getName());
      Object builder = type.getMethod("builder", Device.class).invoke(null, device);
      for (Map.Entry<String, String> each : options.entrySet()) {
        builder
            .getClass()
            .getMethod("set", String.class, String.class)
            .invoke(builder, each.getKey(), each.getValue());
      }
      return (Allocator) builder.getClass().getMethod("build").invoke(builder);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("cannot make an allocator in which " + defect, e);
    }
  }

  @Override
  protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
    if (!name.startsWith(COPIED)) {
      return super.loadClass(name, resolve);
    }
    synchronized (getClassLoadingLock(name)) {
      Class<?> loaded = findLoadedClass(name);
      return loaded != null ? loaded : copy(name);
    }
  }

  private Class<?> copy(String name) throws ClassNotFoundException {
    byte[] bytes = name.equals(defect.getTarget().getName()) ? changed() : original(name);
    if (bytes == null) {
      throw new ClassNotFoundException(name);
    }
    return defineClass(name, bytes, 0, bytes.length);
  }

  private byte[] changed() {
    DynamicType.Builder<?> builder =
        new ByteBuddy()
            .redefine(defect.getTarget(), ClassFileLocator.ForClassLoader.of(getParent()));
    return defect.into(builder).make().getBytes();
  }

  private byte @Nullable [] original(String name) {
    try (InputStream in = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
      return in == null ? null : in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read " + name, e);
    }
  }
}
