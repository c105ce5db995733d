package org.vramkit.pressure;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Period;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;

/** The periodic events of the flight recorder, with the fields of the parts' statistics. */
final class FlightEvents {
  private FlightEvents() {}

  /** Base of all events. Disabled unless a recording enables them. */
  @Category("Vramkit")
  @Enabled(false)
  @StackTrace(false)
  @Period("1 s")
  abstract static class PartEvent extends Event {
    @Label("Device")
    @Description("Ordinal of the device in its backend")
    int device;

    @Label("Part")
    @Description("Number of the part in this JVM, from 1")
    long part;
  }

  /** Emitted with the figures of an {@link Admission}. */
  @Name("org.vramkit.AdmissionStatistics")
  @Label("Admission Statistics")
  @Description("Grants of an admission, and the line for them")
  static final class AdmissionEvent extends PartEvent {
    @Label("Capacity")
    @Description("Maximum sum of all grants")
    @DataAmount
    long capacity;

    @Label("Granted")
    @Description("Bytes of all grants, and of memory that outlives its grant")
    @DataAmount
    long granted;

    @Label("Used")
    @Description("Granted bytes that jobs hold")
    @DataAmount
    long used;

    @Label("Running")
    @Description("Open grants")
    long running;

    @Label("Waiting")
    @Description("Demands and growths in line")
    long waiting;

    @Label("Admitted")
    @Description("Demands that were granted so far")
    long admitted;

    @Label("Withdrawn")
    @Description("Demands and growths that left the line so far")
    long withdrawn;

    @Label("Refused")
    @Description("Demands and growths so far that could never be granted")
    long refused;

    @Label("Longest Wait")
    @Timespan(Timespan.NANOSECONDS)
    long longestWait;

    void fill(AdmissionStatistics figures) {
      capacity = figures.capacityBytes();
      granted = figures.grantedBytes();
      used = figures.usedBytes();
      running = figures.running();
      waiting = figures.waiting();
      admitted = figures.admitted();
      withdrawn = figures.withdrawn();
      refused = figures.refused();
      longestWait = figures.longestWaitNanos();
    }
  }

  /** Emitted with the figures of a {@link SpillStore}. */
  @Name("org.vramkit.SpillStatistics")
  @Label("Spill Statistics")
  @Description("Spillables of a store by place, and their moves")
  static final class SpillEvent extends PartEvent {
    @Label("On Device")
    @DataAmount
    long onDevice;

    @Label("Leased")
    @Description("Bytes on the device that a lease keeps there")
    @DataAmount
    long leased;

    @Label("On Host")
    @Description("Bytes in page-locked memory")
    @DataAmount
    long onHost;

    @Label("On Disk")
    @DataAmount
    long onDisk;

    @Label("Spilled")
    @Description("Bytes moved off the device so far")
    @DataAmount
    long spilled;

    @Label("Restored")
    @Description("Bytes moved back to the device so far")
    @DataAmount
    long restored;

    @Label("Failures")
    @Description("Moves so far that failed")
    long failures;

    void fill(SpillStatistics figures) {
      onDevice = figures.deviceBytes();
      leased = figures.leasedBytes();
      onHost = figures.hostBytes();
      onDisk = figures.diskBytes();
      spilled = figures.spilledBytes();
      restored = figures.restoredBytes();
      failures = figures.failures();
    }
  }

  /** Emitted with the figures of a {@link Retry}. */
  @Name("org.vramkit.RetryStatistics")
  @Label("Retry Statistics")
  @Description("Tasks that wait, roll back and divide their inputs")
  static final class RetryEvent extends PartEvent {
    @Label("Running")
    long running;

    @Label("Blocked")
    @Description("Tasks that wait in an allocation")
    long blocked;

    @Label("Rolled Back")
    @Description("Tasks that wait to be run again")
    long rolledBack;

    @Label("Tasks")
    @Description("Tasks that have begun so far")
    long tasks;

    @Label("Waits")
    @Description("Allocations so far that waited")
    long waits;

    @Label("Rollbacks")
    @Description("Attempts so far that were ended for other tasks")
    long rollbacks;

    @Label("Splits")
    @Description("Inputs so far that were divided")
    long splits;

    void fill(RetryStatistics figures) {
      running = figures.running();
      blocked = figures.blocked();
      rolledBack = figures.rolledBack();
      tasks = figures.tasks();
      waits = figures.waits();
      rollbacks = figures.rollbacks();
      splits = figures.splits();
    }
  }

  /** Emitted with the figures of a {@link WaitingAllocator}. */
  @Name("org.vramkit.WaitingStatistics")
  @Label("Waiting Statistics")
  @Description("Allocations that wait for a close")
  static final class WaitingEvent extends PartEvent {
    @Label("Live")
    @Description("Bytes that users of the allocator hold")
    @DataAmount
    long live;

    @Label("Waiting")
    @Description("Requests in line")
    long waiting;

    @Label("Served")
    @Description("Requests so far that waited and got memory")
    long served;

    @Label("Failed")
    @Description("Requests so far that waited and got no memory")
    long failed;

    @Label("Longest Wait")
    @Timespan(Timespan.NANOSECONDS)
    long longestWait;

    void fill(WaitingStatistics figures) {
      live = figures.liveBytes();
      waiting = figures.waiting();
      served = figures.served();
      failed = figures.failed();
      longestWait = figures.longestWaitNanos();
    }
  }
}
