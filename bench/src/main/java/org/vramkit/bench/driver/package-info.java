/** Costs of driver calls, from which the simulator's cost model is derived. */
@NullMarked
package org.vramkit.bench.driver;

import org.jspecify.annotations.NullMarked;
