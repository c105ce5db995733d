/** Device memory for native code: C allocation functions, and tensors by DLPack. Needs JDK 22. */
@NullMarked
package org.vramkit.interop;

import org.jspecify.annotations.NullMarked;
