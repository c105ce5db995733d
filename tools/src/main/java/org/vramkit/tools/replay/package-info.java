/** Drives an allocator with a trace and takes the figures. */
@NullMarked
package org.vramkit.tools.replay;

import org.jspecify.annotations.NullMarked;
