package org.vramkit.pool.decorator;

import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.allocator.Tags;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.Batch;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.FatalDeviceException;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.api.units.ByteSize;
import org.vramkit.api.units.Count;
import org.vramkit.pool.support.CallerStack;
import org.vramkit.pool.support.CapturedStreams;
import org.vramkit.pool.support.UserError;

/**
 * Finds writes beyond the ends of an allocation on real GPUs, without the simulator or
 * compute-sanitizer. Each allocation lies between red zones of known bytes, as in AddressSanitizer.
 * If a red zone has changed, the close of the allocation throws a {@link GuardViolationException}
 * with the tag and the line of the allocation. New memory is filled with {@code 0xCD} and closed
 * memory with {@code 0xDD}, so that reads of uninitialised or closed memory show in results.
 *
 * <p>Use it to search for an error, not in production: each allocation costs three fills and two
 * red zones, and each close waits for the streams that used the memory. The allocator does not find
 * reads out of bounds, nor writes that skip over a red zone. Memory that is allocated while its
 * stream is captured has no red zones. Memory that is closed while one of its streams is captured
 * is not checked.
 */
public final class GuardedAllocator extends AllocatorDecorator {
  /** Keeps the alignment of the upstream allocator. */
  private static final int STEP = 256;

  private static final int MOST = 1 << 20;

  private static final byte RED = (byte) 0xFD;
  private static final byte NEW = (byte) 0xCD;
  private static final byte CLOSED = (byte) 0xDD;

  /** Bytes of a red zone that an error prints. */
  private static final int SHOWN = 8;

  private final int width;
  private final CapturedStreams captured;

  private GuardedAllocator(Allocator upstream, int width) {
    super(upstream);
    this.width = width;
    this.captured = new CapturedStreams(upstream.getDevice());
  }

  /**
   * Guards the allocations of an allocator.
   *
   * @param guardBytes width of a red zone: a multiple of 256, up to 1 MiB
   * @throws InvalidArgumentException for any other width
   */
  public static GuardedAllocator over(Allocator upstream, int guardBytes) {
    if (guardBytes <= 0 || guardBytes > MOST || guardBytes % STEP != 0) {
      throw new InvalidArgumentException(
          "a guard cannot have " + guardBytes + " bytes: use a multiple of 256, up to 1 MiB");
    }
    return new GuardedAllocator(upstream, guardBytes);
  }

  @Override
  Allocation doAllocate(long bytes, long alignment, Stream stream) {
    boolean isPossible = alignment > 0 && Long.bitCount(alignment) == 1;
    long most = Long.MAX_VALUE - 2L * width - Math.abs(alignment);
    if (bytes <= 0 || bytes > most || !isPossible || captured.has(stream)) {
      // Upstream refuses invalid requests.
      return super.doAllocate(bytes, alignment, stream);
    }
    long front = ByteSize.roundUp(width, alignment);
    Allocation whole = super.doAllocate(front + bytes + width, alignment, stream);
    try {
      GuardedBlock guarded = new GuardedBlock(whole, front, bytes);
      guarded.fill();
      return guarded;
    } catch (RuntimeException | Error e) {
      Batch.after(e, whole::close);
      throw e;
    }
  }

  /** Returns the tag and the caller's line of an allocation, which a later error message names. */
  private String owner() {
    String tag = Tags.current();
    String place =
        CallerStack.take(1).stream()
            .findFirst()
            .map(frame -> "allocated at " + frame)
            .orElse("allocated");
    return (tag.isEmpty() ? "" : "for '" + tag + "', ")
        + place
        + " by thread "
        + Thread.currentThread().getName();
  }

  @Override
  void freeing(DecoratedAllocation allocation) {
    if (allocation.held() instanceof GuardedBlock guarded) {
      captured.relax(guarded::check);
    }
  }

  /** An allocation between two red zones. Thread-safe. */
  private final class GuardedBlock implements Allocation {
    private final Allocation whole;
    private final Stream stream;
    private final long front;
    private final long address;
    private final long size;
    private final String owner;
    private final Set<Stream> users = ConcurrentHashMap.newKeySet();

    /**
     * Places a block within an allocation.
     *
     * @param front bytes before the block, which end with a red zone
     */
    GuardedBlock(Allocation whole, long front, long size) {
      this.whole = whole;
      this.stream = UserError.callUser(whole::getStream);
      this.front = front;
      this.address = UserError.callUser(whole::getAddress) + front;
      this.size = size;
      this.owner = owner();
    }

    /** Fills the block and its red zones in stream order. */
    void fill() {
      stream.fill(address - width, RED, width);
      stream.fill(address, NEW, size);
      stream.fill(address + size, RED, width);
    }

    /**
     * Waits for the work that may use the memory, checks the red zones, and overwrites the block.
     * Does nothing for a lost device, after the close of the backend, and during a capture, which
     * the wait would invalidate.
     *
     * @throws GuardViolationException if a red zone was written to
     */
    void check() {
      try {
        if (mustNotWait()) {
          return;
        }
        boolean isOpen = !stream.isClosed();
        if (!areSynchronized() || !isOpen) {
          // Checked again, because a stream may have been closed since, while another is captured.
          if (mustNotWait()) {
            return;
          }
          stream.getDevice().synchronize();
        }
        checkOn(isOpen ? stream : stream.getDevice().getDefaultStream());
      } catch (FatalDeviceException | ClosedException gone) {
        // The memory is gone too, or the stream was just closed while its device is captured.
      }
    }

    private boolean mustNotWait() {
      return captured.isUnqueryable(stream) || users.stream().anyMatch(captured::isUnqueryable);
    }

    /**
     * Waits for streams. Returns false if one is closed; then only a wait for the device will do.
     */
    private boolean areSynchronized() {
      try {
        users.forEach(Stream::synchronize);
        return true;
      } catch (ClosedException closed) {
        return false;
      }
    }

    private void checkOn(Stream reader) {
      String before = violation(reader, address - width, /* isBehind= */ false);
      String behind = violation(reader, address + size, /* isBehind= */ true);
      reader.fill(address, CLOSED, size);
      if (!reader.equals(stream)) {
        // The next user of the memory is not ordered after this stream.
        reader.synchronize();
      }
      if (before != null || behind != null) {
        throw new GuardViolationException(
            (before == null ? "" : before)
                + (before == null || behind == null ? "" : "; ")
                + (behind == null ? "" : behind)
                + "; the memory is "
                + ByteSize.format(size)
                + " at 0x"
                + Long.toHexString(address)
                + " of "
                + stream
                + ", "
                + owner);
      }
    }

    /** Describes the writes to a red zone; null if there were none. */
    private @Nullable String violation(Stream reader, long zone, boolean isBehind) {
      byte[] bytes = new byte[width];
      reader.copyToHost(ByteBuffer.wrap(bytes), zone);
      int written = 0;
      int nearest = -1;
      for (int i = 0; i < width; i++) {
        if (bytes[i] != RED) {
          written++;
          nearest = isBehind && nearest >= 0 ? nearest : i;
        }
      }
      if (written == 0) {
        return null;
      }
      int shown = isBehind ? nearest : Math.max(0, nearest - SHOWN + 1);
      return Count.of(written, "byte")
          + (isBehind ? " after the end" : " before the start")
          + " of the memory overwritten, the nearest "
          + Count.of(isBehind ? nearest + 1 : width - nearest, "byte")
          + " away: found "
          + HexFormat.ofDelimiter(" ")
              .formatHex(bytes, shown, Math.min(width, Math.min(shown + SHOWN, nearest + SHOWN)))
          + ", expected "
          + HexFormat.of().toHexDigits(RED);
    }

    @Override
    public long getAddress() {
      // Asks the allocation, which throws once it is closed.
      return whole.getAddress() + front;
    }

    @Override
    public long getSize() {
      return size;
    }

    @Override
    public Stream getStream() {
      return whole.getStream();
    }

    @Override
    public boolean isClosed() {
      return whole.isClosed();
    }

    @Override
    public void recordUse(Stream stream) {
      whole.recordUse(stream);
      users.add(stream);
    }

    @Override
    public void close() {
      whole.close();
    }

    @Override
    public String toString() {
      return "guarded " + whole;
    }
  }
}
