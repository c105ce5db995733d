package org.vramkit.pool.caching.defect;

import java.util.concurrent.atomic.AtomicLong;
import net.bytebuddy.asm.Advice;
import org.jspecify.annotations.Nullable;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.pool.caching.internal.cache.BlockBins;
import org.vramkit.pool.caching.internal.cache.CacheTable;
import org.vramkit.pool.caching.internal.cache.StreamCache;
import org.vramkit.pool.caching.internal.heap.Block;
import org.vramkit.pool.caching.internal.heap.Block.Place;
import org.vramkit.pool.caching.internal.heap.Heap;
import org.vramkit.pool.support.StreamProgress;

/**
 * Single decisions of the caching allocator, decided wrongly. Each is woven into one method of a
 * copy (see {@link DefectiveCopy}) and never runs where it stands.
 */
@SuppressWarnings("UnusedVariable") // what is assigned to parameters becomes the method's result
final class WrongDecisions {
  private WrongDecisions() {}

  /** {@link Heap}: neighbours merge whatever work is still to pass, and whose they are. */
  static final class MergesUnsettled {
    private MergesUnsettled() {}

    @Advice.OnMethodExit
    static void merges(
        @Advice.Argument(0) Block left,
        @Advice.Argument(1) Block right,
        @Advice.Return(readOnly = false) boolean merges) {
      // A hole is no memory that work could use.
      merges =
          left.place != Place.TAKEN
              && right.place != Place.TAKEN
              && left.isMemory()
              && right.isMemory();
    }
  }

  /** {@link Heap}: ranges of several streams merge, and only one of these is remembered. */
  static final class MergesStreams {
    private MergesStreams() {}

    @Advice.OnMethodExit
    static void merges(
        @Advice.Argument(0) Block left,
        @Advice.Argument(1) Block right,
        @Advice.Return(readOnly = false) boolean merges) {
      // The lower block of a merger keeps its stream, so the other one is above.
      merges =
          left.place != Place.TAKEN
              && left.place == right.place
              && (left.place != Place.UNSETTLED
                  || left.owner() == right.owner()
                  || left.address < right.address);
    }
  }

  /** {@link Heap}: and what the other had freed counts by the epochs of that one. */
  static final class RemembersOneStream {
    private RemembersOneStream() {}

    @Advice.OnMethodExit
    static void join(@Advice.Return Block joined) {
      if (joined.place == Place.UNSETTLED) {
        joined.epoch = Math.min(joined.epoch, joined.owner().progress.epoch());
      }
    }
  }

  /** {@link Heap}: a merged range remembers the earlier free instead of the later. */
  static final class ForgetsLaterFree {
    private ForgetsLaterFree() {}

    @Advice.OnMethodEnter
    static long before(@Advice.Argument(0) Block left, @Advice.Argument(1) Block right) {
      return Math.min(left.epoch, right.epoch);
    }

    @Advice.OnMethodExit
    static void join(@Advice.Return Block joined, @Advice.Enter long epoch) {
      joined.epoch = epoch;
    }
  }

  /** {@link Heap}: what is left of a split range forgets when it was freed. */
  static final class SplitForgetsFree {
    private SplitForgetsFree() {}

    @Advice.OnMethodExit
    static void split(@Advice.Return Block upper) {
      upper.epoch = 0;
    }
  }

  /** {@link Heap}: a freed block is settled at once, whatever work still uses it. */
  static final class SettlesAtOnce {
    private SettlesAtOnce() {}

    @Advice.OnMethodEnter
    static void insertMerged(@Advice.Argument(value = 1, readOnly = false) Place place) {
      if (place == Place.UNSETTLED) {
        place = Place.SETTLED;
      }
    }
  }

  /** {@link StreamProgress}: an answer counts for frees that came after the question. */
  static final class SettlesOpenEpoch {
    private SettlesOpenEpoch() {}

    @Advice.OnMethodEnter
    static void settleUpTo(@Advice.Argument(value = 0, readOnly = false) long ended) {
      ended++;
    }
  }

  /** {@link StreamProgress}: a free is noted in the epoch that a mark was already made for. */
  static final class NotesEndedEpoch {
    private NotesEndedEpoch() {}

    @Advice.OnMethodExit
    static void epoch(@Advice.Return(readOnly = false) long epoch) {
      epoch--;
    }
  }

  /** {@link Block}: only the first of several using streams is remembered. */
  static final class RemembersOneUse {
    private RemembersOneUse() {}

    @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
    static boolean addUse(@Advice.This Block block) {
      return block.isUsedElsewhere();
    }
  }

  /** {@link CachingAllocator}: a free of a block with recorded uses is not noted for its stream. */
  static final class ForgetsOwnStream {
    private ForgetsOwnStream() {}

    @Advice.OnMethodExit
    static void freeLater(@Advice.Argument(0) Block block) {
      block.epoch = 0;
    }
  }

  /** {@link BlockBins}: the block handed out last is handed out once more. */
  static final class HandsOutAgain {
    /** What was handed out last and has not come back. */
    static final String LAST = "last";

    private HandsOutAgain() {}

    /** Prefers the last. */
    static final class Pop {
      private Pop() {}

      @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
      static @Nullable Block again(
          @Advice.Argument(0) long size, @Advice.FieldValue(LAST) @Nullable Block last) {
        return last != null && last.size == size ? last : null;
      }

      @Advice.OnMethodExit
      static void pop(
          @Advice.Enter @Nullable Block again,
          @Advice.FieldValue(value = LAST, readOnly = false) @Nullable Block last,
          @Advice.Return(readOnly = false) @Nullable Block block) {
        if (again != null) {
          block = again;
        }
        last = again == null ? block : null;
      }
    }

    /** What comes back is handed out as it should be. */
    static final class Push {
      private Push() {}

      @Advice.OnMethodExit
      static void push(@Advice.FieldValue(value = LAST, readOnly = false) @Nullable Block last) {
        last = null;
      }
    }
  }

  /** {@link CacheTable}: every stream is served from the caches of the first. */
  static final class SharesOneHeap {
    private SharesOneHeap() {}

    @Advice.OnMethodExit
    static void of(
        @Advice.This CacheTable streams, @Advice.Return(readOnly = false) StreamCache heap) {
      heap = streams.all().get(0);
    }
  }

  /** {@link StreamProgress}: a busy stream is taken for idle without a question. */
  static final class TakesForIdle {
    private TakesForIdle() {}

    @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
    static boolean advance(
        @Advice.FieldValue("epoch") AtomicLong epoch,
        @Advice.FieldValue(value = "settled", readOnly = false) long settled) {
      settled = epoch.getAndIncrement();
      return true;
    }
  }
}
