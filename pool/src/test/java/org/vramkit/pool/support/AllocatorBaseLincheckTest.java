package org.vramkit.pool.support;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.AllocatorStatistics;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.ClosedException;
import org.vramkit.pool.caching.EveryOrder;
import org.vramkit.pool.caching.ScriptedDevice;
import org.vramkit.pool.caching.ScriptedStream;

/** Lincheck makes instances of it, so it is public. */
@DisplayName("In every order of two threads the open allocations of an allocator")
@Tag("own-schedules")
public class AllocatorBaseLincheckTest {
  private static final ScriptedDevice DEVICE = new ScriptedDevice();
  private static final ScriptedStream STREAM = new ScriptedStream(DEVICE, 7);

  private final Plain allocator = new Plain();

  /** What the close gives back, and users of open allocations still use. */
  private volatile boolean freed;

  private final Queue<Allocation> kept = new ConcurrentLinkedQueue<>();

  /** A fresh one for each order. */
  public AllocatorBaseLincheckTest() {}

  /** An allocator of nothing. */
  private final class Plain extends AllocatorBase {
    Plain() {
      super(DEVICE);
    }

    @Override
    protected String describeOpen() {
      return "";
    }

    @Override
    public Allocation allocate(long bytes, Stream stream) {
      return make(new PlainAllocation(this), none -> {});
    }

    @Override
    protected void closeMemory() {
      freed = true;
    }

    @Override
    public void trim(long keepBytes) {}

    @Override
    public AllocatorStatistics getStatistics() {
      throw new UnsupportedOperationException("nothing is counted");
    }

    @Override
    public void resetPeaks() {}
  }

  private final class PlainAllocation extends OpenAllocation {
    PlainAllocation(AllocatorBase owner) {
      super(owner);
    }

    @Override
    protected void free() {
      assertFalse(freed, "while it goes back");
    }

    @Override
    public long getAddress() {
      return 1;
    }

    @Override
    public long getSize() {
      return 1;
    }

    @Override
    public Stream getStream() {
      return STREAM;
    }

    @Override
    public void recordUse(Stream stream) {}
  }

  /** An allocation finds nothing freed until its handle has been closed. */
  @Operation
  public void allocates() {
    Allocation made;
    try {
      made = allocator.allocate(1, STREAM);
    } catch (ClosedException e) {
      return;
    }
    assertFalse(freed, "while it is open");
    made.close();
  }

  /** Leaves an allocation open. */
  @Operation
  public void keeps() {
    try {
      kept.add(allocator.allocate(1, STREAM));
    } catch (ClosedException e) {
      return;
    }
  }

  /** Frees if nothing is open. */
  @Operation(runOnce = true)
  public void closes() {
    try {
      allocator.close();
    } catch (IllegalStateException open) {
      assertFalse(freed, "a refused close changes nothing");
    }
  }

  @Validate
  public void keepsWhatIsOpen() {
    assertTrue(kept.isEmpty() || !freed, "freed beside an open allocation");
  }

  @Test
  @DisplayName("17.2 make the close fail, and none is made after a close")
  void closed() {
    EveryOrder.checkAssertions(AllocatorBaseLincheckTest.class, EveryOrder.ORDERS);
  }
}
