/** Allocators of another JVM, as its flight recorder streams them. */
@NullMarked
package org.vramkit.tools.top;

import org.jspecify.annotations.NullMarked;
