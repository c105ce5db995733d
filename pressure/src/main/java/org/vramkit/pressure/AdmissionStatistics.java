package org.vramkit.pressure;

import java.util.List;

/**
 * Figures of an {@link Admission} at one moment.
 *
 * @param capacityBytes bytes that all grants may have together, when the device was last asked
 * @param grantedBytes bytes of all grants, and of memory that outlives its grant
 * @param usedBytes requested bytes that are held of them
 * @param running grants that are open
 * @param waiting demands and growths in line
 * @param waitingBytes bytes that these want
 * @param admitted demands that were granted so far
 * @param waited demands and growths that had to wait, of those that were granted
 * @param withdrawn demands and growths that left the line: timed out, cancelled, interrupted
 * @param refused demands and growths that nothing could have satisfied
 * @param waitNanos time in line of all that were granted
 * @param longestWaitNanos the longest of these times
 * @param estimates knowledge about each kind of job, the latest to run last
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

  /** Copies the list. */
  public AdmissionStatistics {
    estimates = List.copyOf(estimates);
  }
}
