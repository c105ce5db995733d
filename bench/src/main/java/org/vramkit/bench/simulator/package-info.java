/**
 * Time of simulated operations and memory of the checker. Not null-marked, because JMH sets the
 * fields of state classes.
 */
package org.vramkit.bench.simulator;
