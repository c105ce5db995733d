/**
 * The common part of the CUDA backends: devices, streams, memory, errors and the lifetime of
 * handles. Applications use a backend that includes a binding.
 */
@NullMarked
package org.vramkit.cuda;

import org.jspecify.annotations.NullMarked;
