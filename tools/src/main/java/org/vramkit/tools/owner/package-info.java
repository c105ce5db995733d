/** Whose code a stack of a recording ends in: the program's, a library's or the runtime's. */
@NullMarked
package org.vramkit.tools.owner;

import org.jspecify.annotations.NullMarked;
