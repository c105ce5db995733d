/** Calls to the simulated driver: their names, costs and counts, and how to make them fail. */
@NullMarked
package org.vramkit.sim.driver;

import org.jspecify.annotations.NullMarked;
