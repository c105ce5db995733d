/** The calls of the CUDA driver API that Vramkit makes, as a binding must offer them. */
@NullMarked
package org.vramkit.cuda.driver;

import org.jspecify.annotations.NullMarked;
