/**
 * The cost of simulated operations, and of what the checker remembers. Not null-marked: JMH fills
 * the fields of states.
 */
package org.vramkit.bench.simulator;
