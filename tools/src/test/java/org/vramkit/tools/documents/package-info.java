/** What documents say is what is there: links, tables, ids of requirements. */
@NullMarked
package org.vramkit.tools.documents;

import org.jspecify.annotations.NullMarked;
