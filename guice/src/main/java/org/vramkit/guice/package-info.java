/** Devices, allocators and pools by injection, replaceable one by one, shut down by one thing. */
@NullMarked
package org.vramkit.guice;

import org.jspecify.annotations.NullMarked;
