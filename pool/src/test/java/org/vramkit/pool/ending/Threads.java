package org.vramkit.pool.ending;

import static org.junit.jupiter.api.Assumptions.abort;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** What runs the threads of a test. */
enum Threads {
  PLATFORM {
    @Override
    ExecutorService start() {
      return Executors.newCachedThreadPool();
    }
  },
  /** From JDK 21 on. */
  VIRTUAL {
    @Override
    ExecutorService start() {
      try {
        return (ExecutorService)
            Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
      } catch (NoSuchMethodException e) {
        return abort("this JDK has no virtual threads");
      } catch (ReflectiveOperationException e) {
        throw new LinkageError("virtual threads cannot be had", e);
      }
    }
  };

  /** The caller shuts it down. */
  abstract ExecutorService start();
}
