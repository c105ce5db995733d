package org.vramkit.tools;

import java.io.PrintWriter;
import java.util.concurrent.Callable;
import org.vramkit.api.units.ByteSize;
import org.vramkit.tools.top.JvmConnection;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Implements {@code vramkit limit}: sets the limit of a running JVM's allocators. */
@Command(
    name = "limit",
    mixinStandardHelpOptions = true,
    description = {
      "Sets the limit of reserved memory of each allocator of a running JVM. Memory beyond the"
          + " limit stays until it is trimmed.",
      "",
      "The JVM must run with -Dvramkit.remote-control=true; others refuse.",
      ""
    })
final class LimitCommand implements Callable<Integer> {
  private final Errors errors;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Parameters(index = "0", paramLabel = "JVM", description = "Process id, or HOST:PORT.")
  private String jvm = "";

  @Parameters(
      index = "1",
      paramLabel = "SIZE",
      converter = SizeConverter.class,
      description = "The limit, such as 20GiB.")
  private long limit;

  LimitCommand(Errors errors) {
    this.errors = errors;
  }

  @Override
  public Integer call() {
    PrintWriter out = spec.commandLine().getOut();
    return new RemoteControl(errors)
        .onEach(
            () -> JvmConnection.to(jvm),
            (number, bean) -> {
              long before = bean.getLimit();
              bean.setLimit(limit);
              out.println(
                  "allocator "
                      + number
                      + ": limit "
                      + ByteSize.format(limit)
                      + ", before "
                      + (before == Long.MAX_VALUE ? "none" : ByteSize.format(before)));
            });
  }
}
