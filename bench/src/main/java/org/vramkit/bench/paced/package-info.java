/**
 * Replays of recorded programs on a device at recorded pace and at full speed, which show the
 * allocator's share of a program's time.
 */
@NullMarked
package org.vramkit.bench.paced;

import org.jspecify.annotations.NullMarked;
