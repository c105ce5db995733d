/** Figures of another JVM's allocators, streamed by its flight recorder. */
@NullMarked
package org.vramkit.tools.top;

import org.jspecify.annotations.NullMarked;
