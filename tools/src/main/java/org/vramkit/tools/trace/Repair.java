package org.vramkit.tools.trace;

/**
 * What a reader did to make a trace replayable. Gaps are repaired in snapshots only, whose ring
 * buffer may lose entries; all else in every format.
 */
public enum Repair {
  /** A free of an address whose allocation lies before the trace: left out. */
  UNKNOWN_FREE("unknownFrees"),
  /** An allocation at an address that was live: the free that must have been lost was put in. */
  LOST_FREE("lostFrees"),
  /** A free that tells another size than its allocation did: the allocation's size counts. */
  FREE_SIZE("freeSizeMismatches"),
  /** A block that was live from before the trace until after it: left out. */
  LIVE_THROUGHOUT("blocksLiveThroughout"),
  /** An event told a time well before an earlier event's, beyond jitter: it has that one's time. */
  TIME_WENT_BACK("timesThatWentBack"),
  /** An entry that is neither an allocation nor a free, nor another that is known: left out. */
  UNKNOWN_ACTION("unknownActions"),
  /** An event of a device other than the one with the most events: left out. */
  OTHER_DEVICE("eventsOfOtherDevices");

  private final String key;

  Repair(String key) {
    this.key = key;
  }

  /** The name in reports. */
  public String getKey() {
    return key;
  }
}
