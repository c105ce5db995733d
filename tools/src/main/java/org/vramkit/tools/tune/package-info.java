/** Replays a trace with many options and allocators and recommends one. */
@NullMarked
package org.vramkit.tools.tune;

import org.jspecify.annotations.NullMarked;
