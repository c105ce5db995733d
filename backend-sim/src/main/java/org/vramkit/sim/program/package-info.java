/** Programs of the simulator: what was done to it, step by step, recorded and stored. */
@NullMarked
package org.vramkit.sim.program;

import org.jspecify.annotations.NullMarked;
