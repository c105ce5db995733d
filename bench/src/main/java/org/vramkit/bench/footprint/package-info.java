/** Memory and driver time of recorded programs and of variations of them, on the simulator. */
@NullMarked
package org.vramkit.bench.footprint;

import org.jspecify.annotations.NullMarked;
