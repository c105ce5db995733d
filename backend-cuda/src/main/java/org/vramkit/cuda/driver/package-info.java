/** The calls of the CUDA driver API that a binding implements for Vramkit. */
@NullMarked
package org.vramkit.cuda.driver;

import org.jspecify.annotations.NullMarked;
