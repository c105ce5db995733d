/**
 * The checker: vector clocks of the order that the API guarantees, the history of accesses, the
 * owners of blocks, and the reports.
 *
 * <p>Nothing here knows virtual time: work that happened to run early or late never changes a
 * report.
 */
@NullMarked
package org.vramkit.sim.check;

import org.jspecify.annotations.NullMarked;
