package org.vramkit.pool.caching.internal.flight;

import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Threshold;

/** The host waited to get memory. */
@Name("org.vramkit.Wait")
@Label("Wait")
@Description("The host waited for a stream, or for the device, to get memory")
@Threshold("1 ms")
final class WaitEvent extends VramkitEvent {
  @Label("Stream")
  @Description("Handle of the stream in hexadecimal, or empty for several or all")
  String stream = "";
}
