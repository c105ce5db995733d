/** Stream order in software over plain memory, for drivers that have no pool. */
@NullMarked
package org.vramkit.pool.streamordered;

import org.jspecify.annotations.NullMarked;
