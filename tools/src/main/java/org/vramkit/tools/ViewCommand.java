package org.vramkit.tools;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.vramkit.api.units.ByteSize;
import org.vramkit.api.units.Count;
import org.vramkit.tools.page.HtmlPage;
import org.vramkit.tools.page.Recording;
import org.vramkit.tools.replay.UsageException;
import org.vramkit.tools.trace.TraceException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Implements {@code vramkit view}: writes recordings as one HTML page. */
@Command(
    name = "view",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Writes one HTML page of recorded allocations: memory over time by tag, stream or size, and"
          + " the live blocks at any moment by address and by owner. The page works offline.",
      "",
      "Formats are detected as for 'vramkit replay'. Several files appear side by side. An"
          + " unreadable file is reported on standard error; the others are shown, and the exit"
          + " code is 2.",
      ""
    })
final class ViewCommand implements Callable<Integer> {
  private final Errors errors;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Parameters(paramLabel = "FILE", arity = "1..*", description = "Recorded allocations.")
  private List<Path> files = new ArrayList<>();

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FILE",
      description = "File of the page. Default: ${DEFAULT-VALUE}.")
  private Path output = Path.of("vramkit-view.html");

  ViewCommand(Errors errors) {
    this.errors = errors;
  }

  @Override
  public Integer call() {
    OutputFile page = new OutputFile("--output", output, OutputFile.Kind.HTML_PAGE);
    page.check(files);
    int code = Errors.OK;
    List<Recording> recordings = new ArrayList<>();
    for (Path file : files) {
      try {
        TraceReading.all(file, true).stream().map(Recording::of).forEach(recordings::add);
      } catch (TraceException e) {
        code = errors.on(e);
      } catch (OutOfMemoryError e) {
        code = Math.max(code, errors.on(file + ": ", e));
      }
    }
    if (recordings.isEmpty()) {
      return code;
    }
    boolean replaces = Files.isRegularFile(output);
    page.write(new HtmlPage("view", List.of(), List.of(), recordings)::write);
    PrintWriter out = spec.commandLine().getOut();
    long events = recordings.stream().mapToLong(each -> each.trace().getRecordedEventCount()).sum();
    out.println(
        output
            + ": "
            + Count.of(events, "event")
            + " of "
            + Count.of(recordings.size(), "recording")
            + ", "
            + ByteSize.format(size())
            + (replaces ? " (replaced)" : ""));
    return code;
  }

  private long size() {
    try {
      return Files.size(output);
    } catch (IOException e) {
      throw new UsageException("--output: " + output + " is gone: " + e.getMessage());
    }
  }
}
