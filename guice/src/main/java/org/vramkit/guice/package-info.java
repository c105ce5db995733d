/**
 * Guice bindings of devices, allocators and pools. Each part can be replaced; {@link
 * org.vramkit.guice.GpuResources} closes all.
 */
@NullMarked
package org.vramkit.guice;

import org.jspecify.annotations.NullMarked;
