/** Unchecked exceptions, which carry the driver's status. */
@NullMarked
package org.vramkit.api.error;

import org.jspecify.annotations.NullMarked;
