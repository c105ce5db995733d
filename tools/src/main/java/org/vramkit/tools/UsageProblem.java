package org.vramkit.tools;

import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * Describes the error in a command line. Unknown options and commands take precedence over missing
 * arguments.
 */
final class UsageProblem {
  private UsageProblem() {}

  /** Describes the problem on one line and names the help to consult. */
  static String describe(ParameterException failure) {
    ParameterException cause = failure;
    if (failure instanceof MissingParameterException) {
      // Picocli reports missing arguments first, though a misspelt option may be the cause.
      for (@Nullable CommandLine each = failure.getCommandLine();
          each != null;
          each = each.getParent()) {
        List<String> unmatched = each.getUnmatchedArguments();
        if (!unmatched.isEmpty()) {
          cause = new UnmatchedArgumentException(each, unmatched);
        }
      }
    }
    CommandLine command = cause.getCommandLine();
    return problem(cause, command)
        + "; see "
        + command.getCommandSpec().qualifiedName()
        + " --help";
  }

  private static String problem(ParameterException failure, CommandLine command) {
    if (failure instanceof UnmatchedArgumentException unmatched) {
      if (unmatched.isUnknownOption()) {
        return unknownOption(unmatched);
      }
      if (!command.getSubcommands().isEmpty()) {
        return unknownCommand(command, unmatched.getUnmatched().get(0));
      }
    }
    // Picocli's message for an option with a key repeats the word "option".
    return String.valueOf(failure.getMessage())
        .replaceFirst("^Value for option option ", "Value for option ");
  }

  /** Names the unknown option and similar known ones. */
  private static String unknownOption(UnmatchedArgumentException unmatched) {
    List<String> alike = unmatched.getSuggestions();
    return "Unknown option: '"
        + unmatched.getUnmatched().get(0)
        + "'"
        + (alike.isEmpty() ? "" : "; did you mean " + String.join(" or ", alike) + "?");
  }

  /** Describes an unknown subcommand and lists the known ones. */
  static String unknownCommand(CommandLine command, String name) {
    return "unknown command '" + name + "'; the commands are " + commands(command);
  }

  /** Lists the names of the subcommands. */
  static String commands(CommandLine command) {
    return String.join(", ", command.getSubcommands().keySet());
  }
}
