/** Simulated memory: addresses, the physical memory behind them, and sparse bytes. */
@NullMarked
package org.vramkit.sim.memory;

import org.jspecify.annotations.NullMarked;
