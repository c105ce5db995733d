/** What threads of the host know to be done, and what is guessed of their ends. */
@NullMarked
package org.vramkit.sim.check.thread;

import org.jspecify.annotations.NullMarked;
