/**
 * Everything that CUDA backends have in common, over the calls of one binding: devices, streams,
 * memory, errors, the life of handles. Use a backend that brings a binding with it.
 */
@NullMarked
package org.vramkit.cuda;

import org.jspecify.annotations.NullMarked;
