package org.vramkit.api.discovery;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.Set;
import org.vramkit.api.spi.BackendProvider;

/**
 * The backends on the class path.
 *
 * @param candidates the providers that could be loaded, by descending priority, then by name
 * @param failures one line for each provider that could not be loaded or named
 */
record BackendScan(List<BackendCandidate> candidates, List<String> failures) {

  /** Consecutive failures after which a loader is considered unable to list its services. */
  private static final int MAX_FAILURES_IN_A_ROW = 64;

  BackendScan {
    List<BackendCandidate> sorted = new ArrayList<>(candidates);
    sorted.sort(BackendScan::compare);
    candidates = List.copyOf(sorted);
    failures = List.copyOf(failures);
  }

  private static int compare(BackendCandidate one, BackendCandidate other) {
    return one.priority() == other.priority()
        ? one.name().compareTo(other.name())
        : Integer.compare(other.priority(), one.priority());
  }

  /**
   * Scans the loaders in order. A provider that several loaders find counts once, even if each has
   * its own copy of the class, as a container and a web application may have. The copy of the
   * earliest loader that can load it is used.
   */
  static BackendScan of(List<? extends ClassLoader> loaders) {
    List<Iterator<BackendProvider>> sources = new ArrayList<>();
    for (ClassLoader loader : loaders) {
      sources.add(ServiceLoader.load(BackendProvider.class, loader).iterator());
    }
    return ofIterators(sources);
  }

  /** Scans iterators, which may throw as those of a {@link ServiceLoader} do. */
  static BackendScan ofIterators(List<Iterator<BackendProvider>> sources) {
    List<BackendCandidate> candidates = new ArrayList<>();
    // Several loaders may find the same broken provider: report it once.
    Set<String> failures = new LinkedHashSet<>();
    Set<String> seenElsewhere = new HashSet<>();
    for (Iterator<BackendProvider> source : sources) {
      Set<String> seenHere = new HashSet<>();
      int failuresInARow = 0;
      while (failuresInARow < MAX_FAILURES_IN_A_ROW) {
        try {
          if (!source.hasNext()) {
            break;
          }
          BackendProvider provider = source.next();
          failuresInARow = 0;
          String type = provider.getClass().getName();
          if (!seenElsewhere.contains(type)) {
            candidates.add(candidateOf(provider));
            seenHere.add(type);
          }
        } catch (ServiceConfigurationError | LinkageError | RuntimeException e) {
          failuresInARow++;
          failures.add(LoadErrors.describe(e));
        }
      }
      seenElsewhere.addAll(seenHere);
    }
    return new BackendScan(candidates, List.copyOf(failures));
  }

  private static BackendCandidate candidateOf(BackendProvider provider) {
    String name =
        Objects.requireNonNull(provider.getName(), provider.getClass().getName() + " has no name");
    return new BackendCandidate(provider, name, provider.getPriority());
  }
}
