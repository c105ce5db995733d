/** Tries options and allocators on a trace, and tells which are worth having. */
@NullMarked
package org.vramkit.tools.tune;

import org.jspecify.annotations.NullMarked;
