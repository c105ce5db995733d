/** What a GPU offers: devices, streams, events, and every kind of memory its driver hands out. */
@NullMarked
package org.vramkit.api.device;

import org.jspecify.annotations.NullMarked;
