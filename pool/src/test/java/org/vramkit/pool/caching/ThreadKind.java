package org.vramkit.pool.caching;

import java.lang.reflect.Method;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Assumptions;

/** What kind of threads a test runs on. Virtual ones are there from JDK 21 on. */
public enum ThreadKind {
  /** Threads of the system. */
  PLATFORM {
    @Override
    public ExecutorService newExecutor() {
      return Executors.newCachedThreadPool();
    }
  },
  /** Threads of the JVM. */
  VIRTUAL {
    @Override
    public ExecutorService newExecutor() {
      Assumptions.assumeTrue(
          Runtime.version().feature() >= 21, "this JDK has no virtual threads; 21 or newer has");
      try {
        Method make = Executors.class.getMethod("newVirtualThreadPerTaskExecutor");
        return (ExecutorService) make.invoke(null);
      } catch (ReflectiveOperationException e) {
        throw new LinkageError("no virtual threads", e);
      }
    }
  };

  /** A thread for each task; the caller shuts it down. Skips the test where there are none. */
  public abstract ExecutorService newExecutor();
}
