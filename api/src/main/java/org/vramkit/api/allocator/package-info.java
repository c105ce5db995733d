/**
 * Types that a user holds: allocators, the allocations they hand out, workspaces, and their
 * figures.
 */
@NullMarked
package org.vramkit.api.allocator;

import org.jspecify.annotations.NullMarked;
