/**
 * Benchmarks of the allocator alone with recorded programs, over a device without cost. Not
 * null-marked, because JMH sets the fields of state classes.
 */
package org.vramkit.bench.trace;
