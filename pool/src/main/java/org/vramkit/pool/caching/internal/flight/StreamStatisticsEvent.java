package org.vramkit.pool.caching.internal.flight;

import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Period;
import org.vramkit.api.allocator.StreamStatistics;

/** The share of one stream in an allocator's memory. */
@Name("org.vramkit.StreamStatistics")
@Label("Stream Statistics")
@Description("What an allocator holds for one stream")
@Period("1 s")
final class StreamStatisticsEvent extends VramkitEvent {
  @Label("Stream")
  @Description("Its handle in hexadecimal, behind its name if it has one; 'shared' for none")
  String stream = "";

  @Label("Live")
  @DataAmount
  long live;

  @Label("Cached")
  @DataAmount
  long cached;

  @Label("Fragments")
  @Description("Free ranges that only this stream may take yet")
  @DataAmount
  long fragments;

  void fill(StreamStatistics share) {
    stream = share.stream();
    live = share.liveBytes();
    cached = share.cachedBytes();
    fragments = share.fragmentBytes();
  }
}
