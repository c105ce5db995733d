/** Finds the owner of memory in the stack of its allocation; for modules of Vramkit. */
@NullMarked
package org.vramkit.api.owner;

import org.jspecify.annotations.NullMarked;
