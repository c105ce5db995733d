/** What comes before what, as vector clocks of streams and of host threads. */
@NullMarked
package org.vramkit.sim.check.order;

import org.jspecify.annotations.NullMarked;
