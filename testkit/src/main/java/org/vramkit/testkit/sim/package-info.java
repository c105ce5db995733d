/**
 * Simulated GPUs in JUnit 5 tests. {@link org.vramkit.testkit.sim.SimulatedGpu} hands devices and
 * streams to a test and fails it on whatever the checker found; {@link
 * org.vramkit.testkit.sim.SimulatedTest} repeats one over seeds.
 */
@NullMarked
package org.vramkit.testkit.sim;

import org.jspecify.annotations.NullMarked;
