/** The order in which queued work runs, and the search through all orders. */
@NullMarked
package org.vramkit.sim.schedule;

import org.jspecify.annotations.NullMarked;
