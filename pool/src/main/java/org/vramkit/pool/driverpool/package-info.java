/** Allocation from a pool of the driver itself. */
@NullMarked
package org.vramkit.pool.driverpool;

import org.jspecify.annotations.NullMarked;
