/** Results of loading and running PTX: errors, findings, accessed ranges and lines of code. */
@NullMarked
package org.vramkit.ptx.report;

import org.jspecify.annotations.NullMarked;
