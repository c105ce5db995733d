/** Examples that call CUDA themselves, on memory of Vramkit; they need an NVIDIA GPU. */
@NullMarked
package org.vramkit.examples.cuda;

import org.jspecify.annotations.NullMarked;
