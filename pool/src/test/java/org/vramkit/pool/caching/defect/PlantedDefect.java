package org.vramkit.pool.caching.defect;

import static net.bytebuddy.matcher.ElementMatchers.named;
import static org.vramkit.sim.hazard.HazardCode.EARLY_REUSE;
import static org.vramkit.sim.hazard.HazardCode.FREE_IN_FLIGHT;
import static org.vramkit.sim.hazard.HazardCode.OVERLAPPING_BLOCKS;
import static org.vramkit.sim.hazard.HazardCode.UNMAP_UNDER_WORK;

import java.util.Set;
import java.util.function.UnaryOperator;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.asm.AsmVisitorWrapper;
import net.bytebuddy.asm.MemberSubstitution;
import net.bytebuddy.dynamic.DynamicType;
import net.bytebuddy.implementation.FixedValue;
import org.vramkit.pool.caching.internal.arena.Arena;
import org.vramkit.pool.caching.internal.cache.BlockBins;
import org.vramkit.pool.caching.internal.cache.CacheTable;
import org.vramkit.pool.caching.internal.heap.Block;
import org.vramkit.pool.caching.internal.heap.Heap;
import org.vramkit.pool.support.EventPool;
import org.vramkit.pool.support.PoolDriverCalls;
import org.vramkit.pool.support.StreamPoint;
import org.vramkit.pool.support.StreamProgress;
import org.vramkit.sim.hazard.HazardCode;
import org.vramkit.sim.schedule.Schedule;

/** A defect planted into a copy of the caching allocator, and the report that it must give. */
@SuppressWarnings("ImmutableEnumChecker") // a change is a function without state
enum PlantedDefect {
  RECORDED_USE_SKIPPED(
      "a block with recorded uses is reused at once",
      Reports.TAKEN_FOR_SETTLED,
      Block.class,
      copy -> copy.method(named("isUsedElsewhere")).intercept(FixedValue.value(false))),
  SECOND_USE_FORGOTTEN(
      "of several recorded uses only the first is waited for",
      Reports.TAKEN_FOR_SETTLED,
      Block.class,
      copy -> copy.visit(decides(WrongDecisions.RemembersOneUse.class, "addUse"))),
  OWN_STREAM_FORGOTTEN(
      "a block with recorded uses waits for these, and not for its own stream",
      Reports.TAKEN_FOR_SETTLED,
      Arena.class,
      copy -> copy.visit(decides(WrongDecisions.ForgetsOwnStream.class, "freeLater"))),
  STEAL_WITHOUT_WAIT(
      "a stolen range is used without waiting for the stream it was stolen from",
      Reports.REUSED,
      EventPool.class,
      copy -> copy.visit(without("waitFor", "order"))),
  UNSETTLED_NEIGHBOUR_MERGED(
      "a range is merged with a neighbour that work may still use",
      Reports.TAKEN_FOR_SETTLED,
      Heap.class,
      copy -> copy.visit(decides(WrongDecisions.MergesUnsettled.class, "merges"))),
  DONOR_FORGOTTEN(
      "ranges of two streams are merged and only one stream is waited for",
      Reports.TAKEN_FOR_SETTLED,
      Heap.class,
      copy ->
          copy.visit(decides(WrongDecisions.MergesStreams.class, "merges"))
              .visit(decides(WrongDecisions.RemembersOneStream.class, "join"))),
  LATER_FREE_FORGOTTEN(
      "a merged range is taken for free since the earlier of two frees",
      Reports.TAKEN_FOR_SETTLED,
      Heap.class,
      copy -> copy.visit(decides(WrongDecisions.ForgetsLaterFree.class, "join"))),
  SPLIT_FORGETS_FREE(
      "the rest of a split range is taken for free since ever",
      Reports.TAKEN_FOR_SETTLED,
      Heap.class,
      copy -> copy.visit(decides(WrongDecisions.SplitForgetsFree.class, "split"))),
  SETTLED_AT_ONCE(
      "a freed block is settled before its stream has passed the free",
      Reports.TAKEN_FOR_SETTLED,
      Heap.class,
      copy -> copy.visit(decides(WrongDecisions.SettlesAtOnce.class, "insertMerged"))),
  PUBLISHED_BEFORE_MARK(
      "a question counts for blocks that are freed after it",
      Reports.TAKEN_FOR_SETTLED,
      StreamProgress.class,
      copy -> copy.visit(decides(WrongDecisions.SettlesOpenEpoch.class, "settleUpTo"))),
  FREED_INTO_ENDED_EPOCH(
      "a free is noted in the epoch that has just ended",
      Reports.TAKEN_FOR_SETTLED,
      StreamProgress.class,
      copy -> copy.visit(decides(WrongDecisions.NotesEndedEpoch.class, "epoch"))),
  HANDED_OUT_TWICE(
      "a block is handed out twice",
      // The second owner may also come between the close by the first and the end of a recorded
      // use.
      Set.of(OVERLAPPING_BLOCKS, EARLY_REUSE),
      BlockBins.class,
      copy ->
          copy.defineField(WrongDecisions.HandsOutAgain.LAST, Block.class)
              .visit(decides(WrongDecisions.HandsOutAgain.Pop.class, "pop"))
              .visit(decides(WrongDecisions.HandsOutAgain.Push.class, "push"))),
  BUSY_TAKEN_FOR_IDLE(
      "a busy stream is taken for idle",
      Reports.TAKEN_FOR_SETTLED,
      StreamProgress.class,
      copy -> copy.visit(decides(WrongDecisions.TakesForIdle.class, "advance"))),
  USE_TAKEN_FOR_PASSED(
      "a recorded use is taken for passed when the driver says no",
      Reports.TAKEN_FOR_SETTLED,
      StreamPoint.class,
      copy -> copy.method(named("hasPassed")).intercept(FixedValue.value(true))),
  LADDER_SKIPS_STREAM_WAIT(
      "out of memory, a stream is taken for passed without waiting for it",
      Reports.TAKEN_FOR_SETTLED,
      PoolDriverCalls.class,
      copy -> copy.visit(without("make", "awaitIfOpen"))),
  LADDER_SKIPS_PENDING_WAIT(
      "out of memory, a pending block is taken without waiting for its users",
      Reports.TAKEN_FOR_SETTLED,
      PoolDriverCalls.class,
      copy -> copy.visit(without("unlessClosed", "await"))),
  OTHER_STREAMS_CACHE(
      "a stream is served from the cache of another without order",
      Reports.REUSED,
      CacheTable.class,
      copy -> copy.visit(decides(WrongDecisions.SharesOneHeap.class, "of")));

  private final String words;
  private final Set<HazardCode> expected;
  private final Class<?> target;
  private final UnaryOperator<DynamicType.Builder<?>> change;

  PlantedDefect(
      String words,
      Set<HazardCode> expected,
      Class<?> target,
      UnaryOperator<DynamicType.Builder<?>> change) {
    this.words = words;
    this.expected = expected;
    this.target = target;
    this.change = change;
  }

  /** What the first report may be: which one depends on what the range is wanted for next. */
  Set<HazardCode> getExpected() {
    return expected;
  }

  /** The only class that differs from the original. */
  Class<?> getTarget() {
    return target;
  }

  /** Plants it. */
  DynamicType.Builder<?> into(DynamicType.Builder<?> copy) {
    return change.apply(copy);
  }

  @Override
  public String toString() {
    return words;
  }

  /**
   * Whether it makes a difference under a schedule. On an eager device every question is answered
   * with yes: nothing is ever waited for or stolen, and how old a free is does not matter.
   */
  boolean showsUnder(Schedule schedule) {
    return schedule.policy() != Schedule.Policy.EAGER
        || switch (this) {
          case STEAL_WITHOUT_WAIT,
              USE_TAKEN_FOR_PASSED, // by then the question has got all work done
              LADDER_SKIPS_STREAM_WAIT,
              LADDER_SKIPS_PENDING_WAIT ->
              false;
          default -> true;
        };
  }

  private static AsmVisitorWrapper decides(Class<?> decision, String method) {
    return Advice.to(decision).on(named(method));
  }

  private static AsmVisitorWrapper without(String call, String method) {
    return MemberSubstitution.relaxed().method(named(call)).stub().on(named(method));
  }

  /** What defects lead to. */
  private static final class Reports {
    static final Set<HazardCode> REUSED = Set.of(EARLY_REUSE);

    /** Whoever needs the range first takes it, moves its pages away, or gives it back. */
    static final Set<HazardCode> TAKEN_FOR_SETTLED =
        Set.of(EARLY_REUSE, UNMAP_UNDER_WORK, FREE_IN_FLIGHT);

    private Reports() {}
  }
}
