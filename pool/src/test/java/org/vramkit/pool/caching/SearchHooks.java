package org.vramkit.pool.caching;

import static java.util.Objects.requireNonNull;

import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.pool.caching.internal.arena.AllArenas;
import org.vramkit.pool.caching.internal.arena.Arena;
import org.vramkit.pool.caching.internal.heap.Block;

/**
 * Has another thread do something at a certain step of an allocator's next search, once, while that
 * search waits for it.
 */
final class SearchHooks {
  private final Arena arena;

  SearchHooks(CachingAllocator allocator) throws ReflectiveOperationException {
    this.arena = (Arena) field(CachingAllocator.class, "main").get(allocator);
  }

  /** Of a private pool that was used. */
  SearchHooks(PrivatePool pool) {
    this.arena = requireNonNull(pool.core());
  }

  /** The block that an open allocation holds. */
  Block blockOf(Allocation allocation) {
    return requireNonNull(arena.heap.blockAt(allocation.getAddress()));
  }

  /** As other pools are about to be asked for memory: after this pool's own steps. */
  void beforeOthersGiveBack(Runnable action) throws ReflectiveOperationException {
    hook("others", "giveBack", action, true);
  }

  /** As all others are about to be held off. */
  void beforeLook(Runnable action) throws ReflectiveOperationException {
    hook("everyPool", "quietly", action, true);
  }

  /** As others have just been let go on by a look that found nothing. */
  void afterLook(Runnable action) throws ReflectiveOperationException {
    hook("everyPool", "quietly", action, false);
  }

  private void hook(String part, String step, Runnable action, boolean before)
      throws ReflectiveOperationException {
    Object recovery = field(Arena.class, "recovery").get(arena);
    Field field = field(recovery.getClass(), part);
    Object real = field.get(recovery);
    boolean[] done = new boolean[1];
    Object hooked =
        Proxy.newProxyInstance(
            AllArenas.class.getClassLoader(),
            new Class<?>[] {field.getType()},
            (self, method, arguments) -> {
              boolean due = method.getName().equals(step) && !done[0];
              if (due && before) {
                done[0] = true;
                onAnotherThread(action);
              }
              Object result = invoke(real, method, arguments);
              if (due && !before && result == null) {
                done[0] = true;
                onAnotherThread(action);
              }
              return result;
            });
    field.set(recovery, hooked);
  }

  private static Object invoke(Object real, Method method, Object[] arguments) throws Throwable {
    try {
      method.setAccessible(true);
      return method.invoke(real, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  private static void onAnotherThread(Runnable action) throws InterruptedException {
    Thread thread = new Thread(action);
    thread.start();
    thread.join();
  }

  private static Field field(Class<?> owner, String name) throws NoSuchFieldException {
    Field field = owner.getDeclaredField(name);
    field.setAccessible(true);
    return field;
  }
}
