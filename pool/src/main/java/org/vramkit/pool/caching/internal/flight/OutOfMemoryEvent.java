package org.vramkit.pool.caching.internal.flight;

import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import org.vramkit.api.allocator.OutOfMemoryReport;

/** An allocation was refused. On in every recording, with the stack of who asked. */
@Name("org.vramkit.OutOfMemory")
@Label("Out Of Memory")
@Description("An allocation was refused for lack of memory")
@Enabled(true)
@StackTrace(true)
final class OutOfMemoryEvent extends VramkitEvent {
  @Label("Requested")
  @DataAmount
  long requested;

  @Label("Stream")
  @Description("Handle of the stream in hexadecimal")
  String stream = "";

  @Label("Tag")
  @Description("What the memory was wanted for")
  String tag = "";

  @Label("Reserved")
  @Description("What the allocator has taken from the driver")
  @DataAmount
  long reserved;

  @Label("Limit")
  @Description("What it may take at most")
  @DataAmount
  long limit;

  @Label("Largest Free Block")
  @DataAmount
  long largestFree;

  @Label("Device Free")
  @Description("What the driver had free; -1 where it could not be asked")
  @DataAmount
  long deviceFree;

  @Label("Advice")
  @Description("The smallest change that would have helped")
  String advice = "";

  void fill(OutOfMemoryReport report) {
    requested = report.requestedBytes();
    stream = report.stream();
    tag = report.tag();
    reserved = report.reservedBytes();
    limit = report.limitBytes();
    largestFree = report.largestFreeBytes();
    deviceFree = report.device() == null ? -1 : report.device().freeBytes();
    advice = report.advice();
  }
}
