/**
 * Jobs that share a device whose memory does not fit all of them: they wait their turn, wait for a
 * block, go to the host for a while, or are run again on smaller inputs. Each part works over any
 * {@link org.vramkit.api.allocator.Allocator} and without the others; docs/pressure.md has their
 * states.
 */
@NullMarked
package org.vramkit.pressure;

import org.jspecify.annotations.NullMarked;
