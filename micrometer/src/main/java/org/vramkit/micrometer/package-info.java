/** Micrometer meters of allocators: memory, allocations, and device memory of other users. */
@NullMarked
package org.vramkit.micrometer;

import org.jspecify.annotations.NullMarked;
