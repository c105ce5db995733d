package org.vramkit.pool;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.allocator.AllocatorStatistics;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.DriverException;

/**
 * An allocator over another one whose frees and recorded uses fail when told to. A free that fails
 * has given its memory back, as with every allocator; nothing is to be had of it afterwards.
 */
public final class RefusingAllocator implements Allocator {
  private final Allocator upstream;
  private final AtomicInteger frees = new AtomicInteger();
  private final AtomicInteger uses = new AtomicInteger();
  private final AtomicReference<Runnable> beforeFree = new AtomicReference<>(() -> {});

  public RefusingAllocator(Allocator upstream) {
    this.upstream = upstream;
  }

  /** So many frees from now on fail. */
  public void refuseFrees(int count) {
    frees.set(count);
  }

  /** So many recorded uses from now on are refused. */
  public void refuseUses(int count) {
    uses.set(count);
  }

  /** Runs before the next free, in its thread. */
  public void beforeNextFree(Runnable action) {
    beforeFree.set(action);
  }

  private static boolean refuses(AtomicInteger left) {
    return left.getAndUpdate(count -> Math.max(0, count - 1)) > 0;
  }

  @Override
  public Allocation allocate(long bytes, Stream stream) {
    return new Refusing(upstream.allocate(bytes, stream));
  }

  private final class Refusing implements Allocation {
    private final Allocation held;

    Refusing(Allocation held) {
      this.held = held;
    }

    @Override
    public long getAddress() {
      return held.getAddress();
    }

    @Override
    public long getSize() {
      if (held.isClosed()) {
        throw new ClosedException("its size is not to be had any more");
      }
      return held.getSize();
    }

    @Override
    public Stream getStream() {
      return held.getStream();
    }

    @Override
    public boolean isClosed() {
      return held.isClosed();
    }

    @Override
    public void recordUse(Stream stream) {
      if (refuses(uses)) {
        throw new DriverException("this use is refused, as planned");
      }
      held.recordUse(stream);
    }

    @Override
    public void close() {
      beforeFree.getAndSet(() -> {}).run();
      held.close();
      if (refuses(frees)) {
        throw new DriverException("this free fails, as planned");
      }
    }
  }

  @Override
  public Device getDevice() {
    return upstream.getDevice();
  }

  @Override
  public void trim(long keepBytes) {
    upstream.trim(keepBytes);
  }

  @Override
  public AllocatorStatistics getStatistics() {
    return upstream.getStatistics();
  }

  @Override
  public void resetPeaks() {
    upstream.resetPeaks();
  }

  @Override
  public void close() {
    upstream.close();
  }
}
