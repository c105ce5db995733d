package org.vramkit.testkit.sim;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.lang.reflect.Method;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;

/**
 * Reports findings that fail no test: as a report entry, and as a warning of the {@link
 * System.Logger} named after {@link SimulatedGpu}, because build tools show no report entries. The
 * log has each once for a test method, however often that is repeated.
 */
final class Notices {
  private static final Logger LOGGER = System.getLogger(SimulatedGpu.class.getName());
  private static final Namespace NAMESPACE = Namespace.create(Notices.class);

  /** Marks a notice as logged. */
  private record Logged(Method test, String kind, String subject) {}

  private Notices() {}

  /**
   * Reports a finding.
   *
   * @param context of a test, or of all runs of a repeated one
   * @param kind name of the report entry
   * @param subject subject of the finding, the same in all runs
   * @param text the full text
   */
  static void tell(ExtensionContext context, String kind, String subject, String text) {
    context.publishReportEntry(kind, text);
    Method test = context.getRequiredTestMethod();
    context
        .getRoot()
        .getStore(NAMESPACE)
        .getOrComputeIfAbsent(
            new Logged(test, kind, subject),
            first -> {
              String name = test.getDeclaringClass().getSimpleName() + "." + test.getName();
              LOGGER.log(Level.WARNING, name + ": " + text);
              return first;
            });
  }
}
