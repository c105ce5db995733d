/** Memory for native code: function pointers that allocate, and tensors by DLPack; JDK 22. */
@NullMarked
package org.vramkit.interop;

import org.jspecify.annotations.NullMarked;
