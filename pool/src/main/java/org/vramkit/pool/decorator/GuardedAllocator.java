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
 * Finds work that writes beyond the ends of its memory, on real GPUs, where neither the simulator
 * nor compute-sanitizer is at hand. Around each allocation lie red zones of known bytes, which are
 * looked at when it is closed: whoever wrote there is told of by a {@link GuardViolationException}
 * with the allocation's tag and line. New memory is filled with {@code 0xCD}, closed memory with
 * {@code 0xDD}, so that what was never written, or is used after its close, shows in results.
 *
 * <p>For looking for an error, not for production: each close waits for the streams that used the
 * memory, and each allocation costs three fills and two red zones. A write farther away than a red
 * zone is wide, and any read, is not seen. What is allocated while its stream is captured has no
 * guard, and what is closed while one of its streams is captured is not looked at.
 */
public final class GuardedAllocator extends AllocatorDecorator {
  /** Addresses stay aligned as the allocator beneath aligns them. */
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
   * Guards all that comes from an allocator.
   *
   * @param guardBytes width of a red zone: a multiple of 256, up to 1 MiB
   * @throws InvalidArgumentException if it is none
   */
  public static GuardedAllocator over(Allocator upstream, int guardBytes) {
    return over(upstream, guardBytes, () -> "");
  }

  /**
   * The same, with tags for the errors.
   *
   * @param guardBytes width of a red zone: a multiple of 256, up to 1 MiB
   * @param naming what the calling thread allocates for, asked at each allocation; empty for
   *     nothing
   * @throws InvalidArgumentException if the width is none
   */
  public static GuardedAllocator over(Allocator upstream, int guardBytes, Supplier<String> naming) {
    if (guardBytes <= 0 || guardBytes > MOST || guardBytes % STEP != 0) {
      throw new InvalidArgumentException(
          "a guard of " + guardBytes + " bytes; take a multiple of 256, up to 1 MiB");
    }
    return new GuardedAllocator(upstream, guardBytes, naming);
  }

  @Override
  Allocation take(long bytes, long alignment, Stream stream) {
    boolean isPossible = alignment > 0 && Long.bitCount(alignment) == 1;
    long most = Long.MAX_VALUE - 2L * width - Math.abs(alignment);
    if (bytes <= 0 || bytes > most || !isPossible || captured.has(stream)) {
      // The allocator beneath refuses what no allocator gives.
      return super.take(bytes, alignment, stream);
    }
    long front = ByteSize.roundUp(width, alignment);
    Allocation whole = super.take(front + bytes + width, alignment, stream);
    try {
      GuardedBlock guarded = new GuardedBlock(whole, front, bytes, width, owner(), captured);
      guarded.fill();
      return guarded;
    } catch (RuntimeException | Error e) {
      Batch.after(e, whole::close);
      throw e;
    }
  }

  /** Whose memory it is, for errors. */
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
