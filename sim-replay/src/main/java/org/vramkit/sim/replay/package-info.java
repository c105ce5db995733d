/**
 * Recorded programs: calls to a simulator that can be run again, shrunk to the steps that a report
 * needs, and printed.
 */
@NullMarked
package org.vramkit.sim.replay;

import org.jspecify.annotations.NullMarked;
