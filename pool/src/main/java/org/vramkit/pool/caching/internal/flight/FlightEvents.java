package org.vramkit.pool.caching.internal.flight;

import java.util.stream.Collectors;
import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Threshold;
import org.vramkit.api.allocator.OutOfMemoryReport;
import org.vramkit.pool.caching.LeakReport;

/** The events that allocators emit to the flight recorder. */
final class FlightEvents {
  private FlightEvents() {}

  /** Base of all events. Disabled unless a recording enables them, and without stacks. */
  @Category("Vramkit")
  @Enabled(false)
  @StackTrace(false)
  abstract static class VramkitEvent extends Event {
    @Label("Device")
    @Description("Ordinal of the device in its backend")
    int device;

    @Label("Allocator")
    @Description("Number of the allocator in this JVM, from 1")
    long allocator;

    /**
     * Commits the event. Declared here, because a method elsewhere with a parameter of this type
     * would load the event classes at every start of a program.
     */
    final void emit(int ofDevice, long ofAllocator) {
      device = ofDevice;
      allocator = ofAllocator;
      commit();
    }
  }

  /** Base of events about memory that an allocation needed. */
  abstract static class MemoryEvent extends VramkitEvent {
    @Label("Bytes")
    @DataAmount
    long bytes;

    @Label("Stream")
    @Description("Handle of the stream in hexadecimal, or empty")
    String stream = "";

    /** Commits the event unless it is about no memory. */
    final void emit(long ofBytes, String ofStream, int ofDevice, long ofAllocator) {
      if (ofBytes > 0 && shouldCommit()) {
        bytes = ofBytes;
        stream = ofStream;
        emit(ofDevice, ofAllocator);
      }
    }
  }

  @Name("org.vramkit.Grow")
  @Label("Memory Taken")
  @Description("Memory was taken from the driver for an allocation")
  static final class GrowEvent extends MemoryEvent {}

  @Name("org.vramkit.Move")
  @Label("Memory Moved")
  @Description("Free memory moved to another address for an allocation")
  static final class MoveEvent extends MemoryEvent {}

  @Name("org.vramkit.Trim")
  @Label("Memory Given Back")
  @Description("Free memory went back to the driver")
  static final class TrimEvent extends VramkitEvent {
    @Label("Bytes")
    @DataAmount
    long bytes;
  }

  @Name("org.vramkit.Wait")
  @Label("Wait")
  @Description("The host waited for a stream, or for the device, to get memory")
  @Threshold("1 ms")
  static final class WaitEvent extends VramkitEvent {
    @Label("Stream")
    @Description("Handle of the stream in hexadecimal, or empty for several or all")
    String stream = "";
  }

  /** Emitted when an allocation fails. Enabled in every recording, with the stack of the caller. */
  @Name("org.vramkit.OutOfMemory")
  @Label("Out Of Memory")
  @Description("An allocation failed for lack of memory")
  @Enabled(true)
  @StackTrace(true)
  static final class OutOfMemoryEvent extends VramkitEvent {
    @Label("Requested")
    @DataAmount
    long requested;

    @Label("Stream")
    @Description("Handle of the stream in hexadecimal")
    String stream = "";

    @Label("Tag")
    @Description("The tag of the allocation")
    String tag = "";

    @Label("Reserved")
    @Description("Bytes that the allocator has reserved")
    @DataAmount
    long reserved;

    @Label("Limit")
    @Description("The limit of the reserved bytes")
    @DataAmount
    long limit;

    @Label("Largest Free Block")
    @DataAmount
    long largestFree;

    @Label("Device Free")
    @Description("Free bytes of the device; -1 if the driver could not be queried")
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

  /** Emitted for a leak. Enabled in every recording. */
  @Name("org.vramkit.Leak")
  @Label("Leak")
  @Description("An allocation that was dropped without a close")
  @Enabled(true)
  static final class LeakEvent extends VramkitEvent {
    @Label("Bytes")
    @DataAmount
    long bytes;

    @Label("Stream")
    @Description("Handle of the stream in hexadecimal")
    String stream = "";

    @Label("Tag")
    String tag = "";

    @Label("Allocating Thread")
    String allocatingThread = "";

    @Label("Allocation Stack")
    @Description("Stack of the allocation, a line for each frame; empty unless stacks are kept")
    String allocationStack = "";

    void fill(LeakReport leak) {
      bytes = leak.size();
      stream = leak.stream();
      tag = leak.tag();
      allocatingThread = leak.thread();
      allocationStack =
          leak.stack().stream().map(StackTraceElement::toString).collect(Collectors.joining("\n"));
    }
  }
}
