/** Writes what allocators hold, and what happened in them, in formats that other tools read. */
@NullMarked
package org.vramkit.export;

import org.jspecify.annotations.NullMarked;
