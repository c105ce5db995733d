/** Pages that need nothing else: recordings and results inside one HTML file. */
@NullMarked
package org.vramkit.tools.page;

import org.jspecify.annotations.NullMarked;
