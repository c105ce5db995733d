package org.vramkit.sim.check.report;

import org.jspecify.annotations.Nullable;
import org.vramkit.sim.hazard.HazardReport;

/**
 * A complete report.
 *
 * @param earlier the operation that the later one should come after; null if order is not at issue
 * @param later the later one; null if order is not at issue
 */
public record Found(HazardReport report, @Nullable Operation earlier, @Nullable Operation later) {}
