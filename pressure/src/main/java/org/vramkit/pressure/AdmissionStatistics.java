package org.vramkit.pressure;

import java.util.List;

/**
 * A snapshot of the statistics of an {@link Admission}.
 *
 * @param capacityBytes maximum sum of all grants, by the last query of the driver
 * @param grantedBytes bytes of all grants, and of memory that outlives its grant
 * @param usedBytes requested bytes that jobs hold
 * @param running number of open grants
 * @param waiting number of demands and growths in line
 * @param waitingBytes sum of the demands and growths in line
 * @param admitted number of granted demands
 * @param waited number of granted demands and growths that had to wait
 * @param withdrawn number of demands and growths that left the line, by a timeout, a cancellation
 *     or an interrupt
 * @param refused number of demands and growths that could never be granted
 * @param waitNanos total time in line of the demands and growths that were granted
 * @param longestWaitNanos longest of these times
 * @param estimates the estimate for each kind of job, the most recent run last
 */
public record AdmissionStatistics(
    long capacityBytes,
    long grantedBytes,
    long usedBytes,
    long running,
    long waiting,
    long waitingBytes,
    long admitted,
    long waited,
    long withdrawn,
    long refused,
    long waitNanos,
    long longestWaitNanos,
    List<DemandEstimate> estimates) {

  /** Copies the list of estimates. */
  public AdmissionStatistics {
    estimates = List.copyOf(estimates);
  }
}
