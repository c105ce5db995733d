package org.vramkit.pressure;

import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.allocator.AllocatorStatistics;
import org.vramkit.api.allocator.Figure;
import org.vramkit.api.allocator.Stat;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.DeviceProperties;
import org.vramkit.api.device.MemoryInfo;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.error.DriverStatus;

/**
 * A minimal allocator and device that only count bytes. Lincheck explores the orders of all steps,
 * so it should spend its time on the code under test.
 */
final class CountedMemory implements Allocator {
  private final long total;
  private final AtomicLong live = new AtomicLong();
  private final Device device;
  private final Stream stream;

  CountedMemory(long total) {
    this.total = total;
    this.stream =
        answering(
            Stream.class,
            name ->
                switch (name) {
                  case "isClosed" -> false;
                  case "getDevice" -> getDevice();
                  default -> throw new UnsupportedOperationException(name);
                });
    DeviceProperties properties =
        new DeviceProperties("counted", total, 1, 1, 1, 1, 1, 1, 1, false, false);
    this.device =
        answering(
            Device.class,
            name ->
                switch (name) {
                  case "getProperties" -> properties;
                  case "getDefaultStream" -> stream;
                  case "getMemoryInfo" -> new MemoryInfo(total, total);
                  default -> throw new UnsupportedOperationException(name);
                });
  }

  private static <T> T answering(Class<T> type, Function<String, Object> answer) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) ->
                switch (method.getName()) {
                  case "equals" -> proxy == arguments[0];
                  case "hashCode" -> 1;
                  case "toString" -> type.getSimpleName();
                  default -> answer.apply(method.getName());
                }));
  }

  long getLive() {
    return live.get();
  }

  /** Returns an open stream of the device, which does no work. */
  Stream getStream() {
    return stream;
  }

  @Override
  public Device getDevice() {
    return device;
  }

  @Override
  public Allocation allocate(long bytes, Stream on) {
    if (live.addAndGet(bytes) > total) {
      live.addAndGet(-bytes);
      throw new DeviceOutOfMemoryException(bytes, DriverStatus.NONE);
    }
    AtomicBoolean closed = new AtomicBoolean();
    return new Allocation() {
      @Override
      public long getAddress() {
        return 1;
      }

      @Override
      public long getSize() {
        return bytes;
      }

      @Override
      public Stream getStream() {
        return on;
      }

      @Override
      public boolean isClosed() {
        return closed.get();
      }

      @Override
      public void recordUse(Stream other) {}

      @Override
      public void close() {
        if (closed.compareAndSet(false, true)) {
          live.addAndGet(-bytes);
        }
      }
    };
  }

  @Override
  public void trim(long keepBytes) {}

  @Override
  public AllocatorStatistics getStatistics() {
    Stat held = new Stat(live.get(), total, 0, 0);
    return new AllocatorStatistics(
        Map.of(Figure.REQUESTED, held, Figure.ALLOCATED, held, Figure.LIVE, held),
        List.of(),
        List.of());
  }

  @Override
  public void resetPeaks() {}

  @Override
  public void close() {}
}
