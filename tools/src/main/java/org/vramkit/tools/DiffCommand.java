package org.vramkit.tools;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.vramkit.tools.replay.UsageException;
import org.vramkit.tools.report.DiffReport;
import org.vramkit.tools.report.Style;
import org.vramkit.tools.trace.Trace;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Implements {@code vramkit diff}: explains the difference of two recordings by owners. */
@Command(
    name = "diff",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Compares two recordings: peaks, unused memory, lifetimes, and which owners and tags explain"
          + " the difference of the requested peaks.",
      "",
      "Formats are detected as for 'vramkit replay' and may differ. An owner is the innermost frame"
          + " of the program itself; its line may move between the recordings. Recordings without"
          + " stacks and tags are compared by the sizes of blocks.",
      ""
    })
final class DiffCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Parameters(index = "0", paramLabel = "A", description = "The recording to compare with.")
  private Path before = Path.of("");

  @Parameters(index = "1", paramLabel = "B", description = "The recording to compare.")
  private Path after = Path.of("");

  @Option(names = "--json", description = "Print one JSON document with all rows.")
  private boolean json;

  @Option(
      names = "--html",
      paramLabel = "FILE",
      description = "Also write a page with both recordings on one axis.")
  private @Nullable Path page;

  @Override
  public Integer call() {
    OutputFile html =
        page == null ? null : new OutputFile("--html", page, OutputFile.Kind.HTML_PAGE);
    if (html != null) {
      html.check(List.of(before, after));
    }
    List<Trace> first = TraceReading.all(before, true);
    List<Trace> second = TraceReading.all(after, true);
    if (first.size() != second.size()) {
      throw new UsageException(
          before
              + " has "
              + first.size()
              + " and "
              + after
              + " "
              + second.size()
              + " devices with memory; record the same devices");
    }
    List<DiffReport.Pair> pairs = new ArrayList<>();
    for (int i = 0; i < first.size(); i++) {
      pairs.add(DiffReport.Pair.of(first.get(i), second.get(i)));
    }
    PrintWriter out = spec.commandLine().getOut();
    out.print(
        json
            ? DiffReport.json(pairs)
            : DiffReport.text(pairs, new Style(spec.commandLine().getColorScheme().ansi())));
    if (html != null) {
      html.write(DiffReport.page(pairs)::write);
    }
    return Errors.OK;
  }
}
