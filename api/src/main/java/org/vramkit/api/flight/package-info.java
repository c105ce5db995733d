/**
 * The statistics of open objects as periodic events of the flight recorder; for modules of Vramkit.
 */
@NullMarked
package org.vramkit.api.flight;

import org.jspecify.annotations.NullMarked;
