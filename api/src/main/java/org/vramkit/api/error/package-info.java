/** Everything that can go wrong, as unchecked exceptions that carry the driver's own words. */
@NullMarked
package org.vramkit.api.error;

import org.jspecify.annotations.NullMarked;
