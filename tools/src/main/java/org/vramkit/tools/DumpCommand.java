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
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Implements {@code vramkit dump}: writes snapshots of a running JVM's allocators. */
@Command(
    name = "dump",
    mixinStandardHelpOptions = true,
    description = {
      "Writes a snapshot of each allocator of a running JVM to a file, for 'vramkit view': the"
          + " blocks, and the latest events if the allocator keeps a history.",
      "",
      "The JVM needs vramkit-export on its class path. This command can also start and stop"
          + " histories.",
      ""
    })
final class DumpCommand implements Callable<Integer> {
  private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss");

  private final Errors errors;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Mixin private JvmTarget target = new JvmTarget();

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FOLDER",
      defaultValue = ".",
      description = "Folder on the JVM's machine (default: the current folder).")
  private Path folder = Path.of(".");

  @Option(
      names = "--start-history",
      paramLabel = "SIZE",
      converter = SizeConverter.class,
      description = "Start a history of this size, such as 64MiB, instead of writing files.")
  private @Nullable Long history;

  @Option(names = "--stacks", description = "With --start-history: record the stack of each event.")
  private boolean stacks;

  @Option(names = "--stop-history", description = "Stop the history after the file is written.")
  private boolean stop;

  DumpCommand(Errors errors) {
    this.errors = errors;
  }

  @Override
  public Integer call() {
    if (stacks && history == null) {
      throw new UsageException("--stacks needs --start-history SIZE; add it or leave --stacks out");
    }
    if (stop && history != null) {
      throw new UsageException(
          "--start-history and --stop-history exclude each other; leave one out");
    }
    return new RemoteControl(errors).onEach(target::connect, this::manage);
  }

  private void manage(long number, CachingAllocatorMXBean bean) {
    PrintWriter out = spec.commandLine().getOut();
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
  }

  private static String nameOf(long number) {
    String time = TIME.format(LocalDateTime.now(ZoneOffset.UTC));
    return "vramkit-" + time + "-allocator" + number + ".pickle";
  }
}
