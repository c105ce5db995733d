package org.vramkit.pool.workspace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.vramkit.api.units.ByteSize.MIB;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.allocator.WorkspaceLease;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.pool.AllocatorKind;
import org.vramkit.pool.PoolScene;

@DisplayName("S1: Statistics of workspaces")
class WorkspaceFiguresTest {
  private final PoolScene scene = new PoolScene(AllocatorKind.NATIVE);

  @AfterEach
  void close() {
    scene.close();
  }

  @Test
  @DisplayName("S1 a lease tells its size, and whether it is closed")
  void lease() {
    WorkspacePool pool = scene.closing(WorkspacePool.create(scene.allocator));
    WorkspaceLease lease = pool.acquire(1500, scene.s1);
    assertEquals(2048, lease.getSize());
    assertEquals("lease of 2048 bytes", lease.toString());
    lease.close();
    assertEquals("closed lease of 2048 bytes", lease.toString());
    assertThrows(ClosedException.class, lease::getSize);
  }

  @Test
  @DisplayName("S1 a trim tells how many bytes went back, and keeps the newest")
  void trim() {
    WorkspacePool pool = scene.closing(WorkspacePool.create(scene.allocator));
    WorkspaceLease one = pool.acquire(MIB, scene.s1);
    WorkspaceLease two = pool.acquire(2 * MIB, scene.s1);
    one.close();
    two.close();
    assertEquals(MIB, pool.trim(2 * MIB));
    assertEquals(2 * MIB, pool.getFreeBytes());
    assertEquals(0, pool.trim(2 * MIB));
    assertEquals(2 * MIB, pool.trim(0));
    assertThrows(InvalidArgumentException.class, () -> pool.trim(-1));
  }

  @Test
  @DisplayName("S1 a budget of 0 keeps nothing, a negative one is refused")
  void budgetOfZero() {
    WorkspacePoolBuilder keepsNothing = WorkspacePool.builder(scene.allocator).byteBudget(0);
    WorkspacePool pool = scene.closing(keepsNothing.build());
    pool.acquire(MIB, scene.s1).close();
    assertEquals(0, pool.getFreeSlabs());
    assertThrows(
        InvalidArgumentException.class,
        () -> WorkspacePool.builder(scene.allocator).byteBudget(-1));
  }
}
