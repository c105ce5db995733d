/** Calls to the simulated driver: their names, their costs, their counts, and how to fail them. */
@NullMarked
package org.vramkit.sim.driver;

import org.jspecify.annotations.NullMarked;
