/** Interfaces to a GPU: devices, streams, events, and every kind of memory its driver hands out. */
@NullMarked
package org.vramkit.api.device;

import org.jspecify.annotations.NullMarked;
