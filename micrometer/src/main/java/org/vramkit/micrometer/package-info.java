/** Meters of allocators: memory, allocations, and what others hold on the device. */
@NullMarked
package org.vramkit.micrometer;

import org.jspecify.annotations.NullMarked;
