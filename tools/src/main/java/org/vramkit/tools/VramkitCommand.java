package org.vramkit.tools;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The top-level command, which only lists its subcommands. */
@Command(
    name = "vramkit",
    mixinStandardHelpOptions = true,
    versionProvider = VramkitCommand.Version.class,
    description = "GPU memory for the JVM.",
    synopsisSubcommandLabel = "COMMAND",
    footer = "%nExit codes: 0 success, 1 a failed run or check, 2 bad usage or bad input.")
final class VramkitCommand implements Runnable {

  @Spec private CommandSpec spec;

  VramkitCommand() {
    // A placeholder until picocli sets the field, so that it is never null.
    spec = CommandSpec.create();
  }

  @Override
  public void run() {
    throw new ParameterException(
        spec.commandLine(),
        "a command is missing; the commands are " + UsageProblem.commands(spec.commandLine()));
  }

  /** Reads the version from the jar's manifest. */
  static final class Version implements CommandLine.IVersionProvider {
    @Override
    public String[] getVersion() {
      String version = VramkitCommand.class.getPackage().getImplementationVersion();
      return new String[] {"vramkit " + (version == null ? "(not packaged)" : version)};
    }
  }
}
