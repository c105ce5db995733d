package org.vramkit.pool.caching.cost;

import static net.bytebuddy.matcher.ElementMatchers.isConstructor;
import static net.bytebuddy.matcher.ElementMatchers.isMethod;
import static net.bytebuddy.matcher.ElementMatchers.isTypeInitializer;
import static net.bytebuddy.matcher.ElementMatchers.not;

import net.bytebuddy.ByteBuddy;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.dynamic.ClassFileLocator;
import net.bytebuddy.pool.TypePool;
import org.jspecify.annotations.Nullable;
import org.vramkit.pool.caching.PoolsCopy;

/** A copy of the pools that tells which of its classes a call goes through. */
final class WatchedCopy extends PoolsCopy {
  /** Woven into each method. */
  static final class Entry {
    private Entry() {}

    @Advice.OnMethodEnter
    static void enter(@Advice.Origin("#t") String type) {
      VisitedClasses.enter(type);
    }
  }

  @Override
  public boolean isShared(String name) {
    return super.isShared(name) || name.equals(VisitedClasses.class.getName());
  }

  @Override
  public byte @Nullable [] changed(String name) {
    ClassFileLocator files = ClassFileLocator.ForClassLoader.of(getParent());
    return new ByteBuddy()
        .redefine(TypePool.Default.of(files).describe(name).resolve(), files)
        .visit(
            Advice.to(Entry.class).on(isMethod().or(isConstructor()).and(not(isTypeInitializer()))))
        .make()
        .getBytes();
  }

  @Override
  public String toString() {
    return "the pools, watched";
  }
}
