/**
 * Interfaces to a GPU: devices, streams, events, and the kinds of memory that its driver allocates.
 */
@NullMarked
package org.vramkit.api.device;

import org.jspecify.annotations.NullMarked;
