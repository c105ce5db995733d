/**
 * Benchmarks of allocators, compared with a lower bound. Not null-marked, because JMH sets the
 * fields of state classes.
 */
package org.vramkit.bench;
