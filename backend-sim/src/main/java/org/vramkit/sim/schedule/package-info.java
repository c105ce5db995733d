/** In which order queued work runs, as a value, and the search over all orders. */
@NullMarked
package org.vramkit.sim.schedule;

import org.jspecify.annotations.NullMarked;
