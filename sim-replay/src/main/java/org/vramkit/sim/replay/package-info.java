/**
 * Recorded programs: the calls to a simulator, which can be run again, shrunk to what a report
 * needs, and printed.
 */
@NullMarked
package org.vramkit.sim.replay;

import org.jspecify.annotations.NullMarked;
