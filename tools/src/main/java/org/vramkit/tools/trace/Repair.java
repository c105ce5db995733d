package org.vramkit.tools.trace;

/**
 * Changes that readers make so that a trace can be replayed. Gaps are repaired only in formats
 * whose ring buffer may lose entries; other repairs apply to every format.
 */
public enum Repair {
  /** A free without an allocation: allocated before the first event. */
  UNKNOWN_FREE("unknownFrees"),
  /** A second free of the same allocation: dropped. */
  REPEATED_FREE("repeatedFrees"),
  /** An allocation at a live address: the missing free is inserted. */
  LOST_FREE("lostFrees"),
  /** A free whose size differs from its allocation's: the allocation's size counts. */
  FREE_SIZE("freeSizeMismatches"),
  /** A block of the snapshot without an event: allocated before the first event. */
  LIVE_THROUGHOUT("blocksLiveThroughout"),
  /** A block of the snapshot at a freed address: allocated after the last event. */
  LOST_ALLOCATION("lostAllocations"),
  /** An allocation live at the end but missing in the snapshot: kept live to the end. */
  UNRECORDED_FREE("unrecordedFrees"),
  /** An allocation that overlaps another live allocation: both count. */
  OVERLAP("overlappingAllocations"),
  /** A time more than 10 ms before its predecessor's: replaced by the predecessor's. */
  TIME_WENT_BACK("timesThatWentBack"),
  /** A time more than 30 days away: replaced by the predecessor's. */
  TIME_LEAPT("timesThatLeapt"),
  /** An entry with an unknown action: dropped. */
  UNKNOWN_ACTION("unknownActions"),
  /** An incomplete last row, as a crashed program leaves: dropped. */
  CUT_ROW("cutRows"),
  /** An allocation on a stream beyond the first 4095. These streams share one number. */
  OTHER_STREAMS("allocationsOfOtherStreams"),
  /** An entry with a tag beyond the first 65,534. These tags share one number. */
  OTHER_TAGS("entriesOfOtherTags"),
  /** An entry with a thread beyond the first 65,534. These threads share one number. */
  OTHER_THREADS("entriesOfOtherThreads"),
  /** An entry whose stack is truncated or shares a number, because of the limits on stacks. */
  OTHER_STACKS("entriesOfOtherStacks"),
  /** A {@link Mark} dropped from lists and maps, though not from figures, by sampling. */
  SAMPLED_MARKS("segmentRowsThinnedOut");

  private final String key;

  Repair(String key) {
    this.key = key;
  }

  /** Returns the name in reports. */
  public String getKey() {
    return key;
  }
}
