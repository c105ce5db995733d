package org.vramkit.pressure;

/**
 * Knowledge about one kind of job, from its last ten runs. A run that was refused memory counts
 * with what it would have held.
 *
 * @param key the kind of job
 * @param runs runs that have ended, all of them
 * @param bytes the size that its next learned demand gets: the peak that nine of ten runs stayed at
 *     or below, rounded towards the larger; 0 before the first run has ended
 * @param lastPeakBytes the most requested bytes that the last run held at once
 * @param error how far such estimates were off, as a mean share of the true peak: 0.1 is a tenth
 *     too much or too little; 0 before the second run has ended
 */
public record DemandEstimate(String key, long runs, long bytes, long lastPeakBytes, double error) {}
