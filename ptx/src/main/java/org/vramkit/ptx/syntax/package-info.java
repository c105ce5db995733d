/** PTX text as a tree: tokens, declarations, instructions. */
@NullMarked
package org.vramkit.ptx.syntax;

import org.jspecify.annotations.NullMarked;
