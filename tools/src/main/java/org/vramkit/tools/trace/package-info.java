/** Traces of recorded allocations and the readers of their formats. */
@NullMarked
package org.vramkit.tools.trace;

import org.jspecify.annotations.NullMarked;
