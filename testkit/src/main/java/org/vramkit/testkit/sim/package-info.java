/**
 * Simulated GPUs in JUnit 5 tests. {@link org.vramkit.testkit.sim.SimulatedGpu} passes devices and
 * streams to a test, and fails it on hazards and leaks; {@link
 * org.vramkit.testkit.sim.SimulatedTest} repeats it over seeds.
 */
@NullMarked
package org.vramkit.testkit.sim;

import org.jspecify.annotations.NullMarked;
