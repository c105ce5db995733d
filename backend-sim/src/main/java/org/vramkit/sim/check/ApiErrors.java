package org.vramkit.sim.check;

import org.vramkit.sim.hazard.AccessKind;
import org.vramkit.sim.hazard.CheckerOptions;
import org.vramkit.sim.hazard.HazardCode;

/**
 * Reports calls with wrong handles, contexts or arguments, which are wrong whatever the order of
 * the work. Most of these calls also throw an exception; the report is for programs that ignore it.
 * Guarded by the backend's lock.
 */
public final class ApiErrors {
  /** Ordinal that stands for no current device. */
  public static final int NO_DEVICE = -1;

  private final boolean enabled;
  private final Operation.Factory operations;
  private final SyncLog syncs;
  private final Reports reports;

  ApiErrors(CheckerOptions options, Operation.Factory operations, SyncLog syncs, Reports reports) {
    this.enabled = options.enabled();
    this.operations = operations;
    this.syncs = syncs;
    this.reports = reports;
  }

  public void closed(String handle) {
    report(
        HazardCode.INVALID_HANDLE,
        "use of " + handle,
        handle + " was closed before",
        "close it after its last use");
  }

  /**
   * Reports the use of a closed stream, unless the library makes the call. Another thread may close
   * a stream between the library's query and its call; the library handles that or throws.
   */
  public void closedStream(String stream) {
    if (!Stacks.isLibraryCalling()) {
      closed(stream);
    }
  }

  public void refused(String function, String reason) {
    report(
        HazardCode.INVALID_VALUE,
        function,
        reason,
        "use sizes and addresses that are multiples of the granularity, and whole mappings");
  }

  /** Reports a launch on a thread where another device, or {@link #NO_DEVICE}, is current. */
  public void launched(String kernel, int device, int current) {
    if (current != device) {
      report(
          current == NO_DEVICE ? HazardCode.NO_CONTEXT : HazardCode.WRONG_DEVICE,
          kernel,
          "thread %s has %s, but the kernel is for device %s"
              .formatted(
                  Thread.currentThread().getName(),
                  current == NO_DEVICE ? "no current device" : "device " + current + " current",
                  device),
          "launch inside try (DeviceBinding current = device.bind())");
    }
  }

  /** Reports handles of different devices or simulators in one call. */
  public void wrongDevice(String operation, String reason) {
    report(
        HazardCode.WRONG_DEVICE,
        operation,
        reason,
        "record an event on a stream of its own device; streams of one backend may wait for it");
  }

  /** Reports a wait for an event that was never recorded. */
  public void waitedOnUnrecordedEvent(int device, StreamClock stream, long event) {
    if (enabled) {
      Operation wait = operations.point("wait for event", AccessKind.RECORD, stream);
      syncs.waitedOnUnrecordedEvent(wait, event);
      reports
          .find(HazardCode.WAIT_ON_UNRECORDED_EVENT)
          .on(device)
          .later(wait, AccessKind.RECORD, 0, 0)
          .missing("a record of the event before the wait")
          .report("record the event before making a stream wait for it");
    }
  }

  /** Reports that a host function or a kernel's body called the driver. */
  public void notPermitted(String function, String work) {
    report(
        HazardCode.NOT_PERMITTED,
        work + " calls " + function,
        "the driver waits for " + work + ", so " + work + " must not wait for the driver",
        "let it set a flag or complete a future, and call the driver from a thread of the host");
  }

  /** Reports that the host waits for work that waits for the host. */
  public void deadlock(String cycle, String remedy) {
    report(HazardCode.DEADLOCK, "wait", cycle, remedy);
  }

  private void report(HazardCode code, String operation, String missing, String remedy) {
    if (enabled) {
      reports
          .find(code)
          .later(operations.hostPoint(operation, AccessKind.RECORD), AccessKind.RECORD, 0, 0)
          .missing(missing)
          .report(remedy);
    }
  }
}
