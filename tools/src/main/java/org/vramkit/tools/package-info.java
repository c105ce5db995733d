/** Placeholder. */
@NullMarked
package org.vramkit.tools;

import org.jspecify.annotations.NullMarked;
