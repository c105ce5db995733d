package org.vramkit.tools;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Recordings that tests of commands name on the command line. */
final class TraceFiles {
  /** A recording of five streams that belongs to the project. */
  static final String STREAMS = Path.of("..", "traces", "streams.csv.gz").toString();

  /** Two allocations on two streams. */
  static final String SMALL =
      """
      action,addr,size,stream,time_us
      alloc,0,3000000,0,0
      alloc,4194304,1000,1,5
      free_completed,0,3000000,0,9
      """;

  private TraceFiles() {}

  /** Writes a file; returns its name. */
  static String file(Path folder, String name, String text) throws IOException {
    return Files.writeString(folder.resolve(name), text).toString();
  }
}
