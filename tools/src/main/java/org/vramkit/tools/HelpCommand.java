package org.vramkit.tools;

import java.io.PrintWriter;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Implements {@code vramkit help}: prints the usage of one command or of {@code vramkit}. */
@Command(
    name = "help",
    mixinStandardHelpOptions = true,
    description = "Prints the help of a command, or the list of commands.")
final class HelpCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Parameters(paramLabel = "COMMAND", arity = "0..1", description = "The command.")
  private @Nullable String name;

  @Override
  public Integer call() {
    CommandLine all = spec.parent().commandLine();
    CommandLine wanted = name == null ? all : all.getSubcommands().get(name);
    if (wanted == null) {
      throw new ParameterException(all, UsageProblem.unknownCommand(all, String.valueOf(name)));
    }
    PrintWriter out = spec.commandLine().getOut();
    wanted.usage(out);
    return Errors.OK;
  }
}
