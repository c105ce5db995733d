/**
 * Recorded programs replayed against the allocator alone, over a device that costs nothing. Not
 * null-marked: JMH fills the fields of states.
 */
package org.vramkit.bench.trace;
