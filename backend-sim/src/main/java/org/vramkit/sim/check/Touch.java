package org.vramkit.sim.check;

import org.vramkit.sim.hazard.AccessKind;

/**
 * One access of work to a range.
 *
 * @param device ordinal of the device that works
 * @param end the address after the last byte
 */
record Touch(Operation by, int device, long start, long end, AccessKind kind) {}
