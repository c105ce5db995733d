/**
 * What simulated operations cost, and what the checker remembers of many. Not null-marked: JMH
 * fills the fields of states.
 */
package org.vramkit.bench.simulator;
