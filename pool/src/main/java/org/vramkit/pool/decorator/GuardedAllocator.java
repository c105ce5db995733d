package org.vramkit.pool.decorator;

import java.util.function.Supplier;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.Batch;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.api.units.ByteSize;
import org.vramkit.pool.support.CallerStack;
import org.vramkit.pool.support.CapturedStreams;

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

  private final int width;
  private final Supplier<String> naming;
  private final CapturedStreams captured;

  private GuardedAllocator(Allocator upstream, int width, Supplier<String> naming) {
    super(upstream);
    this.width = width;
    this.naming = naming;
    this.captured = new CapturedStreams(upstream.getDevice());
  }

  /**
   * Guards the allocations of an allocator.
   *
   * @param guardBytes width of a red zone: a multiple of 256, up to 1 MiB
   * @throws InvalidArgumentException for any other width
   */
  public static GuardedAllocator over(Allocator upstream, int guardBytes) {
    return over(upstream, guardBytes, () -> "");
  }

  /**
   * Guards the allocations of an allocator, with tags that its errors show.
   *
   * @param guardBytes width of a red zone: a multiple of 256, up to 1 MiB
   * @param naming supplies the tag of each allocation; may be empty
   * @throws InvalidArgumentException for any other width
   */
  public static GuardedAllocator over(Allocator upstream, int guardBytes, Supplier<String> naming) {
    if (guardBytes <= 0 || guardBytes > MOST || guardBytes % STEP != 0) {
      throw new InvalidArgumentException(
          "a guard cannot have " + guardBytes + " bytes: use a multiple of 256, up to 1 MiB");
    }
    return new GuardedAllocator(upstream, guardBytes, naming);
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
      GuardedBlock guarded = new GuardedBlock(whole, front, bytes, width, owner(), captured);
      guarded.fill();
      return guarded;
    } catch (RuntimeException | Error e) {
      Batch.after(e, whole::close);
      throw e;
    }
  }

  /** Returns the tag and the caller's line of an allocation, which a later error message names. */
  private String owner() {
    String tag = naming.get();
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
    if (allocation.held instanceof GuardedBlock guarded) {
      guarded.check();
    }
  }
}
