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

/** {@code vramkit top}: the allocators of a running JVM. */
@Command(
    name = "top",
    mixinStandardHelpOptions = true,
    description = {
      "Shows the allocators of a running JVM: memory, allocations, tags, and what others hold"
          + " on the device.",
      "",
      "The JVM's flight recorder streams them, while this runs. That JVM needs no option; a JVM of"
          + " another machine has to listen, without a password: docs/observe.md says how.",
      ""
    })
final class TopCommand implements Callable<Integer> {
  /** Home, and clear what is below: without a flicker. */
  private static final String CLEAR = "\u001b[H\u001b[J";

  /** Set by the launcher when standard output is a terminal. */
  private static final String SCREEN = "vramkit.screen";

  private static final Duration PATIENCE = Duration.ofSeconds(10);

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
      String frame = stream.next(PATIENCE.plus(interval));
      if (frame == null) {
        throw new UsageException(
            connection
                + " has reported no allocator within "
                + PATIENCE.plus(interval).toSeconds()
                + " s; it has to use Vramkit's caching allocator");
      }
      boolean heard = show(connection, frame);
      while (!once && heard) {
        frame = stream.next(interval.multipliedBy(3).plus(PATIENCE));
        if (frame == null) {
          spec.commandLine().getErr().println("vramkit: " + connection + " reports no more");
          return Errors.OK;
        }
        heard = show(connection, frame);
      }
      return Errors.OK;
    }
  }

  /** At most an hour between frames. */
  static final class Seconds extends WholeNumber {
    Seconds() {
      super(1, 3600);
    }
  }

  /** Prints a frame; returns false once the reader has gone, such as {@code head}. */
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
