package org.vramkit.tools;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.vramkit.pool.caching.CachingAllocatorMXBean;
import org.vramkit.tools.replay.UsageException;
import org.vramkit.tools.top.JvmConnection;
import org.vramkit.tools.top.RemoteAllocators;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code vramkit dump}: snapshots and histories of a running JVM's allocators. */
@Command(
    name = "dump",
    mixinStandardHelpOptions = true,
    description = {
      "Writes the blocks of a running JVM's allocators, and the latest events of those with a"
          + " history: a file for each, which 'view' shows.",
      "",
      "That JVM needs vramkit-export on its class path. A history can begin and end while it runs.",
      ""
    })
final class DumpCommand implements Callable<Integer> {
  private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss");

  @Spec private CommandSpec spec = CommandSpec.create();

  @Mixin private JvmTarget target = new JvmTarget();

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FOLDER",
      defaultValue = ".",
      description = "Where that JVM writes the files (default: this folder).")
  private Path folder = Path.of(".");

  @Option(
      names = "--start-history",
      paramLabel = "SIZE",
      converter = SizeConverter.class,
      description = "Begin a history of this size in that JVM, such as 64MiB, and dump nothing.")
  private @Nullable Long history;

  @Option(names = "--stacks", description = "Keep the stack of each event of that history.")
  private boolean stacks;

  @Option(names = "--stop-history", description = "End the history after the dump.")
  private boolean stop;

  @Override
  public Integer call() {
    if (stacks && history == null) {
      throw new UsageException("--stacks belongs to --start-history SIZE");
    }
    if (stop && history != null) {
      throw new UsageException("a history is begun or ended: drop one of the two options");
    }
    try (JvmConnection connection = target.connect()) {
      RemoteAllocators.of(connection).forEach(this::manage);
    }
    return Errors.OK;
  }

  private void manage(long number, CachingAllocatorMXBean bean) {
    PrintWriter out = spec.commandLine().getOut();
    try {
      if (history != null) {
        bean.startHistory(history, stacks);
        out.println("allocator " + number + " keeps a history");
        return;
      }
      Path file = folder.toAbsolutePath().normalize().resolve(nameOf(number));
      bean.dump(file.toString());
      out.println(file);
      if (stop) {
        bean.stopHistory();
      }
    } catch (IllegalStateException e) {
      throw new UsageException("allocator " + number + ": " + e.getMessage());
    }
  }

  private static String nameOf(long number) {
    String time = TIME.format(LocalDateTime.now(ZoneOffset.UTC));
    return "vramkit-" + time + "-allocator" + number + ".pickle";
  }
}
