package org.vramkit.tools;

import java.io.PrintWriter;
import java.util.concurrent.Callable;
import org.vramkit.api.units.ByteSize;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Implements {@code vramkit trim}: returns free memory of a running JVM's allocators. */
@Command(
    name = "trim",
    mixinStandardHelpOptions = true,
    description = {
      "Returns free memory of each allocator of a running JVM to the driver.",
      "",
      "The JVM must run with -Dvramkit.remote-control=true; others refuse.",
      ""
    })
final class TrimCommand implements Callable<Integer> {
  private final Errors errors;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Mixin private JvmTarget target = new JvmTarget();

  @Option(
      names = "--keep",
      paramLabel = "SIZE",
      converter = SizeConverter.class,
      defaultValue = "0",
      description = "Reserved memory that each allocator may keep (default: 0).")
  private long keep;

  TrimCommand(Errors errors) {
    this.errors = errors;
  }

  @Override
  public Integer call() {
    PrintWriter out = spec.commandLine().getOut();
    return new RemoteControl(errors)
        .onEach(
            target::connect,
            (number, bean) -> {
              bean.trim(keep);
              out.println(
                  "allocator "
                      + number
                      + ": free memory beyond "
                      + ByteSize.format(keep)
                      + " is returned");
            });
  }
}
