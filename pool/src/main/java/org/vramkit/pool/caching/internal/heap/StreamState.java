package org.vramkit.pool.caching.internal.heap;

import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Stream;
import org.vramkit.pool.caching.internal.stream.StreamProgress;

/**
 * What the heap knows of a stream: how far it has come, and the ranges that its own work may still
 * be using. The caches of the stream are built on it.
 */
public abstract class StreamState {
  public final Stream stream;
  public final StreamProgress progress;

  /**
   * Whether nobody looks into its caches any more: blocks on their way between the tiers go on to
   * the heap, and settle there. Set before the caches are emptied for the last time, read by
   * whoever brings a block after.
   */
  public volatile boolean ended;

  // Guarded by the heap's lock.
  final FreeIndex unsettledSmall = new FreeIndex();
  final FreeIndex unsettledLarge = new FreeIndex();

  /**
   * Which of {@link StreamAddressRegions} it gathers its blocks in while it is busy; 0 for none
   * yet.
   */
  int region;

  // Its place in UnsettledStreams.
  boolean isQueued;
  @Nullable StreamState askedBefore;
  @Nullable StreamState askedNext;

  /** Whole pages or segments among its unsettled ranges, and whether it was idle when asked. */
  long freeableBytes;

  boolean isIdle;

  /** The latest epoch of pages that it left, see {@link AliasMappings}; 0 if it never did. */
  long staleEpoch;

  public StreamState(Stream stream, StreamProgress progress) {
    this.stream = stream;
    this.progress = progress;
  }

  public FreeIndex unsettled(boolean small) {
    return small ? unsettledSmall : unsettledLarge;
  }
}
