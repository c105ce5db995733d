/**
 * Simulated GPUs in JUnit 5 tests. {@link org.vramkit.testkit.sim.SimulatedGpu} provides devices
 * and streams to a test and fails it on the checker's findings; {@link
 * org.vramkit.testkit.sim.SimulatedTest} repeats a test over seeds.
 */
@NullMarked
package org.vramkit.testkit.sim;

import org.jspecify.annotations.NullMarked;
