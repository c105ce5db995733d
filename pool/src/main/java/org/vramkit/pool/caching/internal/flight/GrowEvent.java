package org.vramkit.pool.caching.internal.flight;

import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;

/** Memory was taken from the driver for an allocation. */
@Name("org.vramkit.Grow")
@Label("Memory Taken")
@Description("Memory was taken from the driver for an allocation")
final class GrowEvent extends VramkitEvent {
  @Label("Bytes")
  @DataAmount
  long bytes;

  @Label("Stream")
  @Description("Handle of the stream in hexadecimal, or empty")
  String stream = "";
}
