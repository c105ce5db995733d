package org.vramkit.tools;

import java.io.PrintWriter;
import java.time.Duration;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.Callable;
import org.vramkit.tools.replay.UsageException;
import org.vramkit.tools.top.JvmConnection;
import org.vramkit.tools.top.PoolStream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Implements {@code vramkit top}: shows the allocators of a running JVM. */
@Command(
    name = "top",
    mixinStandardHelpOptions = true,
    description = {
      "Shows the allocators of a running JVM: memory, allocations, tags, and the device memory that"
          + " others use.",
      "",
      "The figures come from that JVM's flight recorder. A local JVM needs no option; a remote one"
          + " must listen without a password, see docs/observe.md.",
      ""
    })
final class TopCommand implements Callable<Integer> {
  /** Moves the cursor home and clears the screen below it, which avoids flicker. */
  private static final String CLEAR = "\u001b[H\u001b[J";

  /** System property that the launcher sets if standard output is a terminal. */
  private static final String SCREEN = "vramkit.screen";

  /**
   * Wait beyond the interval for a frame. On a busy machine one of 80 recordings of JDK 17 began
   * only after 10 s, all others within 3.
   */
  private static final Duration GRACE = Duration.ofSeconds(30);

  @Spec private CommandSpec spec = CommandSpec.create();

  @Mixin private JvmTarget target = new JvmTarget();

  @Option(names = "--once", description = "Print one frame and end.")
  private boolean once;

  @Option(
      names = "--interval",
      paramLabel = "SECONDS",
      defaultValue = "1",
      converter = Seconds.class,
      description = "Seconds between frames, from 1 to 3600 (default: ${DEFAULT-VALUE}).")
  private long seconds = 1;

  @Option(names = "--json", description = "Print each frame as one line of JSON instead of tables.")
  private boolean json;

  @Override
  public Integer call() throws InterruptedException {
    Duration interval = Duration.ofSeconds(seconds);
    try (JvmConnection connection = target.connect();
        PoolStream stream = PoolStream.open(connection, interval, json)) {
      String frame = stream.next(GRACE.plus(interval));
      if (frame == null) {
        throw new UsageException(
            connection
                + " has reported no allocator within "
                + GRACE.plus(interval).toSeconds()
                + " s; the JVM must use Vramkit's caching allocator and have the module jdk.jfr");
      }
      boolean hasReader = show(connection, frame);
      while (!once && hasReader) {
        frame = stream.next(interval.multipliedBy(3).plus(GRACE));
        if (frame == null) {
          spec.commandLine().getErr().println("vramkit: " + connection + " has stopped reporting");
          return Errors.OK;
        }
        hasReader = show(connection, frame);
      }
      return Errors.OK;
    }
  }

  /** Bounds the interval to one hour. */
  static final class Seconds extends WholeNumber {
    Seconds() {
      super(1, 3600);
    }
  }

  /** Prints a frame; returns false if the reader, such as {@code head}, has closed the pipe. */
  private boolean show(JvmConnection connection, String frame) {
    PrintWriter out = spec.commandLine().getOut();
    if (json) {
      out.print(frame);
      return !out.checkError();
    }
    boolean screen = !once && Boolean.getBoolean(SCREEN);
    out.print(screen ? CLEAR : "");
    out.println(
        connection
            + " at "
            + LocalTime.now(ZoneId.systemDefault()).truncatedTo(ChronoUnit.SECONDS));
    out.println();
    out.print(frame);
    out.println(once ? "" : System.lineSeparator());
    return !out.checkError();
  }
}
