/** Applies fault plans to calls and work. */
@NullMarked
package org.vramkit.sim.fault;

import org.jspecify.annotations.NullMarked;
