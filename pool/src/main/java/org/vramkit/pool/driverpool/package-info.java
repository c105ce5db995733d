/** Allocation from the driver's own pools. */
@NullMarked
package org.vramkit.pool.driverpool;

import org.jspecify.annotations.NullMarked;
