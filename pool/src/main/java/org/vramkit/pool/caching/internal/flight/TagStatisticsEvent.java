package org.vramkit.pool.caching.internal.flight;

import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Period;
import org.vramkit.api.allocator.TagUsage;

/** The memory of one tag of an allocator. */
@Name("org.vramkit.TagStatistics")
@Label("Tag Statistics")
@Description("What an allocator holds for one tag")
@Period("1 s")
final class TagStatisticsEvent extends VramkitEvent {
  @Label("Tag")
  String tag = "";

  @Label("Live")
  @DataAmount
  long live;

  @Label("Peak")
  @DataAmount
  long peak;

  @Label("Allocations")
  @Description("Allocations so far")
  long allocations;

  @Label("Allocated")
  @Description("Their bytes, all together")
  @DataAmount
  long allocated;

  void fill(TagUsage usage) {
    tag = usage.tag();
    live = usage.liveBytes();
    peak = usage.peakBytes();
    allocations = usage.allocations();
    allocated = usage.allocatedBytes();
  }
}
