/** Self-contained HTML pages of recordings and results. */
@NullMarked
package org.vramkit.tools.page;

import org.jspecify.annotations.NullMarked;
