package org.vramkit.pool.caching.internal.flight;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.StackTrace;

/** What all events have. Off unless a recording asks for them, without stacks. */
@Category("Vramkit")
@Enabled(false)
@StackTrace(false)
abstract class VramkitEvent extends Event {
  @Label("Device")
  @Description("Ordinal of the device in its backend")
  int device;

  @Label("Allocator")
  @Description("Number of the allocator in this JVM, from 1")
  long allocator;
}
