package org.vramkit.export;

import java.io.IOException;

/** Takes entries one after the other. */
@FunctionalInterface
interface EntrySink {
  void accept(Entry entry) throws IOException;
}
