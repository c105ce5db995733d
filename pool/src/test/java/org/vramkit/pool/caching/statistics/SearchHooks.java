package org.vramkit.pool.caching.statistics;

import static java.util.Objects.requireNonNull;
import static org.mockito.Mockito.mock;

import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.List;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.pool.caching.Insides;
import org.vramkit.pool.caching.PrivatePool;
import org.vramkit.pool.caching.internal.arena.Arena;
import org.vramkit.pool.caching.internal.arena.PoolRegistry;
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
    this.arena = Insides.arena(pool);
  }

  /** The block that an open allocation holds. */
  Block blockOf(Allocation allocation) {
    return requireNonNull(arena.heap.blockAt(allocation.getAddress()));
  }

  /** As other pools are about to be asked for memory: after this pool's own steps. */
  void beforeOthersGiveBack(Runnable action) throws ReflectiveOperationException {
    hook("giveBack", action, true);
  }

  /** As all others are about to be held off. */
  void beforeLook(Runnable action) throws ReflectiveOperationException {
    hook("quietly", action, true);
  }

  /** As others have just been let go on by a look that found nothing. */
  void afterLook(Runnable action) throws ReflectiveOperationException {
    hook("quietly", action, false);
  }

  private void hook(String step, Runnable action, boolean before)
      throws ReflectiveOperationException {
    Object recovery = field(Arena.class, "recovery").get(arena);
    Field field = field(recovery.getClass(), "pools");
    Object real = field.get(recovery);
    boolean[] done = new boolean[1];
    Object hooked =
        mock(
            PoolRegistry.class,
            call -> {
              boolean due = call.getMethod().getName().equals(step) && !done[0];
              if (due && before) {
                done[0] = true;
                onAnotherThread(action);
              }
              Object result = invoke(real, call.getMethod(), call.getArguments());
              if (due && !before && result == null) {
                done[0] = true;
                onAnotherThread(action);
              }
              return result;
            });
    for (String each : List.of("main", "shared")) {
      Field shared = field(PoolRegistry.class, each);
      shared.set(hooked, shared.get(real));
    }
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
