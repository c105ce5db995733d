package org.vramkit.sim.check;

/**
 * An earlier access that an operation is not ordered after.
 *
 * @param operation the earlier one
 * @param wrote whether it wrote
 * @param start first byte that both touch
 * @param end the byte after the last one
 */
record Conflict(Operation operation, boolean wrote, long start, long end) {}
