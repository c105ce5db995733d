/** Finds the owner of memory in the stack of its allocation. */
@NullMarked
package org.vramkit.api.owner;

import org.jspecify.annotations.NullMarked;
