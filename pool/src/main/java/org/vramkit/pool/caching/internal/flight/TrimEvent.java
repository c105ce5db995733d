package org.vramkit.pool.caching.internal.flight;

import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;

/** Free memory went back to the driver. */
@Name("org.vramkit.Trim")
@Label("Memory Given Back")
@Description("Free memory went back to the driver")
final class TrimEvent extends VramkitEvent {
  @Label("Bytes")
  @DataAmount
  long bytes;
}
