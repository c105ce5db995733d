/** Stream-ordered allocation in software over plain memory, for drivers without memory pools. */
@NullMarked
package org.vramkit.pool.streamordered;

import org.jspecify.annotations.NullMarked;
