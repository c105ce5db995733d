/** The cost of the driver's own calls, as the simulator's cost model wants it. */
@NullMarked
package org.vramkit.bench.driver;

import org.jspecify.annotations.NullMarked;
