/** Output of the commands: tables, JSON, and a page in HTML. */
@NullMarked
package org.vramkit.tools.report;

import org.jspecify.annotations.NullMarked;
