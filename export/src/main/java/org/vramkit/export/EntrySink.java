package org.vramkit.export;

import java.io.IOException;

/** Receives entries in order. */
@FunctionalInterface
interface EntrySink {
  void accept(Entry entry) throws IOException;
}
