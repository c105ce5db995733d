package org.vramkit.tools;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.vramkit.api.discovery.Backends;
import picocli.CommandLine;

/** The {@code vramkit} command line. */
public final class Main {
  // A static reference: java.util.logging drops loggers, and their levels, that are unreachable.
  private static final Logger BACKENDS = Logger.getLogger(Backends.class.getName());

  private Main() {}

  /** Runs a command and ends the process with its exit code. */
  public static void main(String[] args) {
    PrintWriter err =
        new PrintWriter(new OutputStreamWriter(System.err, StandardCharsets.UTF_8), false);
    WarningHandler.install(new Errors(err));
    // System.out would hide write failures.
    System.exit(run(args, new FileOutputStream(FileDescriptor.out), err));
  }

  /** Runs a command and returns its exit code, see {@link Errors}. */
  static int run(String[] args, OutputStream target, PrintWriter err) {
    // Reports name the backend, so its log line would be noise.
    BACKENDS.setLevel(Level.WARNING);
    Errors errors = new Errors(err);
    StandardOutput output = new StandardOutput(target);
    PrintWriter out = output.writer();
    CommandLine replay = new CommandLine(new ReplayCommand(errors));
    replay.getCommandSpec().usageMessage().footer(ReplayCommand.footer());
    CommandLine command =
        new CommandLine(new VramkitCommand())
            .addSubcommand(replay)
            .addSubcommand(new ViewCommand(errors))
            .addSubcommand(new TuneCommand(errors))
            .addSubcommand(new CheckCommand(errors))
            .addSubcommand(new DiffCommand())
            .addSubcommand(new DevicesCommand(errors))
            .addSubcommand(new TopCommand())
            .addSubcommand(new DumpCommand(errors))
            .addSubcommand(new LimitCommand(errors))
            .addSubcommand(new TrimCommand(errors))
            .addSubcommand(new PartitionCommand())
            .addSubcommand(new RunCommand())
            .addSubcommand(new ShrinkCommand())
            .addSubcommand(new HelpCommand())
            .setOut(out)
            .setErr(err)
            .setCaseInsensitiveEnumValuesAllowed(true)
            .setParameterExceptionHandler(errors::onUsage)
            .setExecutionExceptionHandler((failure, failed, parsed) -> errors.on(failure));
    for (CommandLine each : command.getSubcommands().values()) {
      each.getCommandSpec().versionProvider(new VramkitCommand.Version());
    }
    int code;
    try {
      code = command.execute(args);
    } catch (OutOfMemoryError | StackOverflowError e) {
      // Picocli handles exceptions only.
      code = errors.on(e);
    }
    out.flush();
    String failure = output.getFailure();
    if (failure != null) {
      errors.print("cannot write the results to standard output: " + failure);
      code = Math.max(code, Errors.FAILED);
    }
    err.flush();
    return code;
  }
}
