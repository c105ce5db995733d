/**
 * Runs CUDA kernels from PTX text on the JVM. {@link org.vramkit.ptx.PtxModule} parses a text,
 * {@link org.vramkit.ptx.LoadedModule} has the addresses of its variables and launches kernels on
 * the memory of the caller.
 */
@NullMarked
package org.vramkit.ptx;

import org.jspecify.annotations.NullMarked;
