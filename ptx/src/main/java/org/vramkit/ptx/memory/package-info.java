/** The device memory that kernels access, as its owner provides it. */
@NullMarked
package org.vramkit.ptx.memory;

import org.jspecify.annotations.NullMarked;
