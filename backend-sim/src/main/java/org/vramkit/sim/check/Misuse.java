package org.vramkit.sim.check;

import java.util.Locale;
import org.vramkit.sim.hazard.HazardCode;

/**
 * Reports calls that no order could make right: they concern handles, contexts and arguments, not
 * bytes. Most are refused as well; the report is for programs that swallow what is thrown. Guarded
 * by the backend's lock.
 */
public final class Misuse {
  /** In place of an ordinal: no device is current. */
  public static final int NO_DEVICE = -1;

  private final Checker checker;
  private final boolean requiresContext;

  Misuse(Checker checker, boolean requiresContext) {
    this.checker = checker;
    this.requiresContext = requiresContext;
  }

  /** Something closed was used, and not by a pool that has to reckon with that. */
  public void closed(String handle) {
    if (!Callers.expectClosedStreams()) {
      checker.misuse(
          HazardCode.INVALID_HANDLE,
          "use of " + handle,
          handle + " was closed before",
          "close it after its last use");
    }
  }

  /** The driver refused an argument. */
  public void refused(String function, String reason) {
    checker.misuse(
        HazardCode.INVALID_VALUE,
        function,
        reason,
        "use sizes and addresses that are multiples of the granularity, and whole mappings");
  }

  /**
   * A kernel was launched; judged where launches require a current device.
   *
   * @param current ordinal of the device that is current on the calling thread, or {@link
   *     #NO_DEVICE}
   */
  public void launched(String kernel, int device, int current) {
    if (requiresContext && current != device) {
      checker.misuse(
          current == NO_DEVICE ? HazardCode.NO_CONTEXT : HazardCode.WRONG_DEVICE,
          kernel,
          String.format(
              Locale.ROOT,
              "thread %s has %s, but the kernel is for device %d",
              Thread.currentThread().getName(),
              current == NO_DEVICE ? "no current device" : "device " + current + " current",
              device),
          "launch inside try (DeviceBinding current = device.bind())");
    }
  }

  /** Handles were used together that do not belong to one device, or to one simulator. */
  public void wrongDevice(String operation, String reason) {
    checker.misuse(
        HazardCode.WRONG_DEVICE,
        operation,
        reason,
        "record an event on a stream of its own device; streams of one backend may wait for it");
  }
}
