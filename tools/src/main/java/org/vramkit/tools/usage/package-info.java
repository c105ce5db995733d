/** Memory that recordings show: peaks, limits on them, owners, and differences. */
@NullMarked
package org.vramkit.tools.usage;

import org.jspecify.annotations.NullMarked;
