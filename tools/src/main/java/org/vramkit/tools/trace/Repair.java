package org.vramkit.tools.trace;

/**
 * Changes by which a reader makes a trace replayable. Gaps are repaired in recordings whose ring
 * buffer may lose entries; all else in every format.
 */
public enum Repair {
  /** A free of memory that was allocated before the first event: allocated there. */
  UNKNOWN_FREE("unknownFrees"),
  /** A free of memory that had been freed and not allocated since: left out. */
  REPEATED_FREE("repeatedFrees"),
  /** An allocation at an address that was live: the free that must have been lost was put in. */
  LOST_FREE("lostFrees"),
  /** A free that tells another size than its allocation did: the allocation's size counts. */
  FREE_SIZE("freeSizeMismatches"),
  /**
   * A block that was live from before the trace until after it: allocated before the first event.
   */
  LIVE_THROUGHOUT("blocksLiveThroughout"),
  /** A block of the snapshot whose memory had been freed: allocated after the last event. */
  LOST_ALLOCATION("lostAllocations"),
  /** An allocation that is live at the end but not in the snapshot: its free was not recorded. */
  UNRECORDED_FREE("unrecordedFrees"),
  /** An allocation within the memory of another live one, or around one: both count. */
  OVERLAP("overlappingAllocations"),
  /** An event told a time well before an earlier event's, beyond jitter: it has that one's time. */
  TIME_WENT_BACK("timesThatWentBack"),
  /** An event told a time more than 30 days off: it follows the event before it at once. */
  TIME_LEAPT("timesThatLeapt"),
  /** An entry that is neither an allocation nor a free, nor another that is known: left out. */
  UNKNOWN_ACTION("unknownActions"),
  /** A last row without its line break, which a program that died left: left out. */
  CUT_ROW("cutRows"),
  /** An allocation on one of the streams beyond the first 4095, which all count as one. */
  OTHER_STREAMS("allocationsOfOtherStreams"),
  /** An entry of one of the tags beyond the first 65,534, which all count as one. */
  OTHER_TAGS("entriesOfOtherTags"),
  /** The same of threads. */
  OTHER_THREADS("entriesOfOtherThreads"),
  /** An entry whose stack is not held as a whole: too deep, or one of too many. */
  OTHER_STACKS("entriesOfOtherStacks"),
  /** Memory taken, given back or moved, or a wait: left out of lists and maps, not of figures. */
  THINNED_MARKS("segmentRowsThinnedOut");

  private final String key;

  Repair(String key) {
    this.key = key;
  }

  /** The name in reports. */
  public String getKey() {
    return key;
  }
}
