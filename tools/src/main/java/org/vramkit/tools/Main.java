package org.vramkit.tools;

import java.io.OutputStreamWriter;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.vramkit.api.discovery.Backends;
import picocli.CommandLine;

/** The {@code vramkit} command line. */
public final class Main {
  // Held, because the logging framework forgets the level of a logger that nobody holds.
  private static final Logger BACKENDS = Logger.getLogger(Backends.class.getName());

  private Main() {}

  /** Runs a command and ends the process with its exit code. */
  public static void main(String[] args) {
    System.exit(run(args, writer(System.out), writer(System.err)));
  }

  /** Runs a command: 0 for success, 1 for a failed run, 2 for bad usage or bad input. */
  static int run(String[] args, PrintWriter out, PrintWriter err) {
    // Backends are opened by name here, and the reports tell which: a note would only disturb.
    BACKENDS.setLevel(Level.WARNING);
    Errors errors = new Errors(err);
    CommandLine replay = new CommandLine(new ReplayCommand(errors));
    replay.getCommandSpec().usageMessage().footer(ReplayCommand.footer());
    CommandLine command =
        new CommandLine(new VramkitCommand())
            .addSubcommand(replay)
            .addSubcommand(new DevicesCommand(errors))
            .setOut(out)
            .setErr(err)
            .setParameterExceptionHandler(errors::onUsage)
            .setExecutionExceptionHandler((failure, failed, parsed) -> errors.on(failure));
    int code = command.execute(args);
    out.flush();
    err.flush();
    return code;
  }

  private static PrintWriter writer(PrintStream stream) {
    return new PrintWriter(new OutputStreamWriter(stream, StandardCharsets.UTF_8), false);
  }
}
