/** Recorded allocations: what a trace is, and the readers of every format. */
@NullMarked
package org.vramkit.tools.trace;

import org.jspecify.annotations.NullMarked;
