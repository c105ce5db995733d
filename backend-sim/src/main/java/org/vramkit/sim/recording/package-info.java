/** What is told of each call, to whoever records what a program does. */
@NullMarked
package org.vramkit.sim.recording;

import org.jspecify.annotations.NullMarked;
