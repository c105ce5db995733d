package org.vramkit.pool.caching.internal.flight;

import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;

/** Free memory moved to another address for an allocation. */
@Name("org.vramkit.Move")
@Label("Memory Moved")
@Description("Free memory moved to another address for an allocation")
final class MoveEvent extends VramkitEvent {
  @Label("Bytes")
  @DataAmount
  long bytes;

  @Label("Stream")
  @Description("Handle of the stream in hexadecimal, or empty")
  String stream = "";
}
