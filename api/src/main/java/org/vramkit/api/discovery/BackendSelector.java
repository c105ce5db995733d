package org.vramkit.api.discovery;

import static java.lang.System.Logger.Level.INFO;
import static java.lang.System.Logger.Level.WARNING;

import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceConfigurationError;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Backend;
import org.vramkit.api.error.BackendNotAvailableException;

/** Chooses a backend among the providers that a scan found. */
final class BackendSelector {

  private static final String ADD_ONE =
      "add one as a dependency, such as org.vramkit:vramkit-backend-sim (no GPU needed)";
  private static final String NO_GPU_BACKEND =
      "none is on the class path; to use a GPU, add " + ProjectBackends.ANY_OF_A_GPU;
  private static final String HOW_TO_FORCE =
      "force one with Backends.open(name), -D"
          + Backends.PROPERTY
          + "=name or "
          + Backends.ENVIRONMENT
          + "=name";

  private final BackendScan scan;
  private final BiConsumer<Level, String> log;

  BackendSelector(BackendScan scan, BiConsumer<Level, String> log) {
    this.scan = scan;
    this.log = log;
  }

  List<BackendDescription> list() {
    Stream<BackendDescription> failed =
        scan.failures().stream()
            .map(
                why ->
                    new BackendDescription(
                        BackendDescription.UNNAMED, 0, /* available= */ false, why));
    return Stream.concat(scan.candidates().stream().map(BackendCandidate::probe), failed).toList();
  }

  Backend open(@Nullable ForcedName forced) {
    if (scan.candidates().isEmpty() && scan.failures().isEmpty()) {
      String wanted =
          forced == null ? "" : " ('" + forced.name() + "', from " + forced.origin() + ")";
      throw fail(
          BackendDiagnostic.NONE_PRESENT,
          "no backend"
              + wanted
              + " on the class path; "
              + (forced == null ? ADD_ONE : ProjectBackends.adviceFor(forced.name())),
          null);
    }
    checkNames();
    return forced == null ? openBest() : openForced(forced);
  }

  private void checkNames() {
    Map<String, BackendCandidate> byName = new HashMap<>();
    for (BackendCandidate candidate : scan.candidates()) {
      BackendCandidate other = byName.putIfAbsent(candidate.name(), candidate);
      if (other != null) {
        throw fail(
            BackendDiagnostic.DUPLICATE_NAME,
            "two backends are named '"
                + candidate.name()
                + "': "
                + other.origin()
                + " and "
                + candidate.origin()
                + "; keep one of them on the class path",
            null);
      }
    }
  }

  private Backend openForced(ForcedName forced) {
    BackendCandidate candidate = find(forced);
    BackendDescription description = candidate.probe();
    if (!description.available()) {
      throw notAvailable(forced, description.reason(), null);
    }
    Backend backend;
    try {
      backend = candidate.provider().open();
    } catch (LinkageError | ServiceConfigurationError | BackendNotAvailableException e) {
      throw notAvailable(forced, LoadErrors.describe(e), e);
    }
    if (candidate.isSimulator()) {
      log(
          INFO,
          BackendDiagnostic.SIMULATOR_IN_USE,
          "the simulator '" + candidate.name() + "' is in use, requested by " + forced.origin());
    }
    return backend;
  }

  private BackendCandidate find(ForcedName forced) {
    for (BackendCandidate candidate : scan.candidates()) {
      if (candidate.name().equals(forced.name())) {
        return candidate;
      }
    }
    throw unknown(forced);
  }

  private Backend openBest() {
    List<BackendCandidate> available = new ArrayList<>();
    List<BackendDescription> refused = new ArrayList<>();
    for (BackendCandidate candidate : scan.candidates()) {
      BackendDescription description = candidate.probe();
      if (description.available()) {
        available.add(candidate);
      } else {
        refused.add(description);
      }
    }
    Throwable firstError = null;
    for (BackendCandidate candidate : available) {
      try {
        Backend backend = candidate.provider().open();
        announce(candidate, available, refused);
        return backend;
      } catch (LinkageError | ServiceConfigurationError | BackendNotAvailableException e) {
        // A backend that fails to load must not prevent the others from being tried.
        String reason = LoadErrors.describe(e);
        log(
            WARNING,
            BackendDiagnostic.OPEN_FAILED,
            "backend '" + candidate.name() + "' is available but failed to open: " + reason);
        refused.add(
            new BackendDescription(
                candidate.name(), candidate.priority(), /* available= */ false, reason));
        firstError = firstError == null ? e : firstError;
      }
    }
    List<String> reasons = new ArrayList<>(refused.stream().map(BackendSelector::asText).toList());
    reasons.addAll(scan.failures());
    throw fail(
        BackendDiagnostic.NONE_AVAILABLE,
        "no backend can be used here: "
            + String.join(" | ", reasons)
            + "; remedy one of the reasons"
            + (mayLackSimulator() ? ", or " + ADD_ONE : ""),
        firstError);
  }

  /**
   * Returns whether to suggest adding the simulator: it is not present and no provider failed to
   * load.
   */
  private boolean mayLackSimulator() {
    return scan.failures().isEmpty()
        && scan.candidates().stream().noneMatch(BackendCandidate::isSimulator);
  }

  private void announce(
      BackendCandidate winner, List<BackendCandidate> available, List<BackendDescription> refused) {
    if (available.size() > 1) {
      log(
          INFO,
          BackendDiagnostic.SEVERAL_AVAILABLE,
          "backend '"
              + winner.name()
              + "' was chosen for its priority "
              + winner.priority()
              + " among the available backends "
              + available.stream()
                  .map(each -> each.name() + " (" + each.priority() + ")")
                  .collect(Collectors.joining(", "))
              + "; "
              + HOW_TO_FORCE);
    }
    if (winner.isSimulator()) {
      log(
          WARNING,
          BackendDiagnostic.SIMULATOR_IN_USE,
          "the simulator '"
              + winner.name()
              + "' is in use because no backend with a real GPU is available: "
              + (refused.isEmpty() ? NO_GPU_BACKEND : asText(refused))
              + failuresAsText());
    }
  }

  private BackendNotAvailableException unknown(ForcedName forced) {
    return fail(
        BackendDiagnostic.UNKNOWN_NAME,
        "no backend is named '"
            + forced.name()
            + "', as requested by "
            + forced.origin()
            + "; present: "
            + (scan.candidates().isEmpty()
                ? "none"
                : scan.candidates().stream()
                    .map(BackendCandidate::name)
                    .collect(Collectors.joining(", ")))
            + (scan.failures().isEmpty()
                ? "; " + ProjectBackends.adviceFor(forced.name())
                : failuresAsText() + "; correct the name, or remedy the failure"),
        null);
  }

  private BackendNotAvailableException notAvailable(
      ForcedName forced, String reason, @Nullable Throwable cause) {
    return fail(
        BackendDiagnostic.FORCED_NOT_AVAILABLE,
        "backend '"
            + forced.name()
            + "', requested by "
            + forced.origin()
            + ", cannot be used here: "
            + reason
            + "; remedy that, or request another backend",
        cause);
  }

  private String failuresAsText() {
    return scan.failures().isEmpty()
        ? ""
        : "; failed to load: " + String.join(" | ", scan.failures());
  }

  private static String asText(List<BackendDescription> descriptions) {
    return descriptions.stream().map(BackendSelector::asText).collect(Collectors.joining(" | "));
  }

  private static String asText(BackendDescription description) {
    return description.name() + ": " + description.reason();
  }

  private void log(Level level, BackendDiagnostic diagnostic, String text) {
    log.accept(level, diagnostic.message(text));
  }

  private static BackendNotAvailableException fail(
      BackendDiagnostic diagnostic, String text, @Nullable Throwable cause) {
    return new BackendNotAvailableException(diagnostic.message(text), cause);
  }
}
