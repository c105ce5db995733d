/** Exports snapshots and event histories of allocators to formats of other tools. */
@NullMarked
package org.vramkit.export;

import org.jspecify.annotations.NullMarked;
