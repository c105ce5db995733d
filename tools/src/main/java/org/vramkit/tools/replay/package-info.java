/** Replays traces through allocators and measures memory and time. */
@NullMarked
package org.vramkit.tools.replay;

import org.jspecify.annotations.NullMarked;
