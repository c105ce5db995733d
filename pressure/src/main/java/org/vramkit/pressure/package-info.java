/**
 * Shares a device among jobs that together need more memory than it has: they wait for a grant or
 * for a block, spill buffers to the host, or run again on smaller inputs. Each part works over any
 * {@link org.vramkit.api.allocator.Allocator} and without the others; docs/pressure.md has their
 * states.
 */
@NullMarked
package org.vramkit.pressure;

import org.jspecify.annotations.NullMarked;
