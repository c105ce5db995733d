package org.vramkit.tools;

import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** Says what is wrong with a command line, a misspelt word before what is missing beside it. */
final class UsageProblem {
  private UsageProblem() {}

  /** The problem on one line, with where to look. */
  static String describe(ParameterException failure) {
    ParameterException cause = failure;
    if (failure instanceof MissingParameterException) {
      // Picocli looks for what is missing first; a misspelt option may be why it is missing.
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
    // Picocli's words for an option with a key say the word twice.
    return String.valueOf(failure.getMessage())
        .replaceFirst("^Value for option option ", "Value for option ");
  }

  /** The option alone, without what stood behind it, and those that look like it. */
  private static String unknownOption(UnmatchedArgumentException unmatched) {
    List<String> alike = unmatched.getSuggestions();
    return "Unknown option: '"
        + unmatched.getUnmatched().get(0)
        + "'"
        + (alike.isEmpty() ? "" : ", perhaps " + String.join(" or ", alike));
  }

  /** That there is no command of this name below one, and what there is. */
  static String unknownCommand(CommandLine command, String name) {
    return "unknown command '" + name + "'; the commands are " + commands(command);
  }

  /** The names of the commands below one. */
  static String commands(CommandLine command) {
    return String.join(", ", command.getSubcommands().keySet());
  }
}
