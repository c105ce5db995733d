package org.vramkit.pool.caching;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.device.Device;

/**
 * The pools' classes once more, some of them changed or none: production code needs no switch for
 * it. What is not of the pools is shared with the test, so the copy is used through the API.
 */
public abstract class PoolsCopy extends ClassLoader {
  private static final String COPIED = "org.vramkit.pool.";

  public PoolsCopy() {
    super(PoolsCopy.class.getClassLoader());
  }

  /** Returns a copy in which no class is changed, as a second class loader of a program has. */
  public static PoolsCopy unchanged() {
    return new PoolsCopy() {
      @Override
      public byte @Nullable [] changed(String name) {
        return null;
      }
    };
  }

  /** What a class is in the copy; null as it is. */
  public abstract byte @Nullable [] changed(String name);

  /** An allocator of the copy, with options by name as the builder of the original takes them. */
  public Allocator allocator(Device device, Map<String, String> options) {
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
      throw new IllegalStateException("cannot make an allocator of " + this, e);
    }
  }

  /** Whether a class is the test's own, which the copy shares. */
  public boolean isShared(String name) {
    return !name.startsWith(COPIED);
  }

  @Override
  protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
    if (isShared(name)) {
      return super.loadClass(name, resolve);
    }
    synchronized (getClassLoadingLock(name)) {
      Class<?> loaded = findLoadedClass(name);
      return loaded != null ? loaded : copy(name);
    }
  }

  private Class<?> copy(String name) throws ClassNotFoundException {
    byte[] changed = changed(name);
    byte[] bytes = changed != null ? changed : original(name);
    if (bytes == null) {
      throw new ClassNotFoundException(name);
    }
    return defineClass(name, bytes, 0, bytes.length);
  }

  private byte @Nullable [] original(String name) {
    try (InputStream in = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
      return in == null ? null : in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read " + name, e);
    }
  }
}
