package org.vramkit.pressure;

import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.allocator.AllocatorStatistics;
import org.vramkit.api.allocator.Figure;
import org.vramkit.api.allocator.Stat;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.DeviceProperties;
import org.vramkit.api.device.Event;
import org.vramkit.api.device.MemoryInfo;
import org.vramkit.api.device.MemoryObserver;
import org.vramkit.api.device.PinnedBuffer;
import org.vramkit.api.device.PinnedMemory;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.error.DriverStatus;

/**
 * A minimal allocator and device that only count bytes. Lincheck explores the orders of all steps,
 * so it should spend its time on the code under test. An allocation and a close change fields in
 * one step, which no missing stack can leave in between.
 */
final class CountedMemory implements Allocator {
  private final long total;
  private long live;
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
                  case "copyAll", "waitFor", "synchronize", "close" -> null;
                  default -> throw new UnsupportedOperationException(name);
                });
    Event event = answering(Event.class, name -> name.equals("isComplete") ? true : null);
    PinnedBuffer buffer = answering(PinnedBuffer.class, name -> null);
    PinnedMemory pinned = answering(PinnedMemory.class, name -> buffer);
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
                  case "getOrdinal" -> 0;
                  case "createStream" -> stream;
                  case "createEvent" -> event;
                  case "getPinnedMemory" -> pinned;
                  case "getMemoryObserver" -> MemoryObserver.NONE;
                  case "supports" -> false;
                  case "synchronize" -> null;
                  default -> throw new UnsupportedOperationException(name);
                });
  }

  private static <T> T answering(Class<T> type, Function<String, @Nullable Object> answer) {
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

  synchronized long getLive() {
    return live;
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
    CountedAllocation made = new CountedAllocation(bytes, on);
    synchronized (this) {
      if (live + bytes <= total) {
        live += bytes;
        return made;
      }
    }
    throw new DeviceOutOfMemoryException(bytes, DriverStatus.NONE);
  }

  private final class CountedAllocation implements Allocation {
    private final long bytes;
    private final Stream on;
    private boolean closed;

    CountedAllocation(long bytes, Stream on) {
      this.bytes = bytes;
      this.on = on;
    }

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
      synchronized (CountedMemory.this) {
        return closed;
      }
    }

    @Override
    public void recordUse(Stream other) {}

    @Override
    public void close() {
      synchronized (CountedMemory.this) {
        live -= closed ? 0 : bytes;
        closed = true;
      }
    }
  }

  @Override
  public void trim(long keepBytes) {}

  @Override
  public AllocatorStatistics getStatistics() {
    Stat held = new Stat(getLive(), total, 0, 0);
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
