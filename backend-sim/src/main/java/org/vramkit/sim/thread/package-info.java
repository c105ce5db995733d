/** Threads of the simulator, and host threads that run tasks of executors. */
@NullMarked
package org.vramkit.sim.thread;

import org.jspecify.annotations.NullMarked;
