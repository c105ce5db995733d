/** Allocators, their allocations, workspaces and statistics. */
@NullMarked
package org.vramkit.api.allocator;

import org.jspecify.annotations.NullMarked;
