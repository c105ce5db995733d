package org.vramkit.pressure;

/**
 * The estimated memory of one kind of job, from its last ten runs. A run that was refused memory
 * counts with the bytes that it would have held.
 *
 * @param key the kind of job
 * @param runs number of all completed runs
 * @param bytes the size of its next learned demand: the smallest peak that nine of ten runs did not
 *     exceed; 0 before the first run has ended
 * @param lastPeakBytes peak of requested bytes of the last run
 * @param error mean error of earlier estimates as a share of the true peak, such as 0.1 for a tenth
 *     too much or too little; 0 before the second run has ended
 */
public record DemandEstimate(String key, long runs, long bytes, long lastPeakBytes, double error) {}
