package org.vramkit.testkit.sim;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.lang.reflect.Method;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;

/**
 * Reports findings that do not fail a test: as a report entry, and as a warning of the {@link
 * System.Logger} named after {@link SimulatedGpu}, because build tools do not show report entries.
 * Each finding is logged once per test method, also if the test is repeated.
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
   * @param context the context of a test, or of all runs of a repeated test
   * @param kind the name of the report entry
   * @param subject the subject of the finding, equal in all runs
   * @param text the message
   */
  static void report(ExtensionContext context, String kind, String subject, String text) {
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
