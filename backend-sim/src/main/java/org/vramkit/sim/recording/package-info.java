/** Receives the calls of a program, to record them. */
@NullMarked
package org.vramkit.sim.recording;

import org.jspecify.annotations.NullMarked;
