package org.vramkit.ptx;

import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.vramkit.ptx.code.Program;
import org.vramkit.ptx.memory.Memory;
import org.vramkit.ptx.report.Dim3;
import org.vramkit.ptx.report.PtxException;
import org.vramkit.ptx.report.PtxStatus;
import org.vramkit.ptx.run.Code;
import org.vramkit.ptx.run.Grid;
import org.vramkit.ptx.run.Heap;
import org.vramkit.ptx.run.Windows;
import org.vramkit.ptx.syntax.Problems;
import org.vramkit.ptx.syntax.SyntaxTree;
import org.vramkit.ptx.syntax.Variable;

/**
 * A module whose variables have addresses. It launches kernels; one launch at a time runs. The same
 * launch on the same bytes gives the same bytes and the same findings.
 */
public final class LoadedModule {
  /** A kernel that is simulated, and its code with the addresses of this module. */
  private record Translated(PtxKernel kernel, Code code, Grid.Layout layout) {}

  private static final int BLOCK_LIMIT = 1024;
  private static final int DEPTH_LIMIT = 64;
  private static final int PLANE_LIMIT = 65535;

  private final PtxModule module;
  private final SyntaxTree tree;
  private final Map<String, Long> addresses;
  private final Map<String, Translated> programs = new HashMap<>();
  private final Heap heap = new Heap();

  LoadedModule(PtxModule module, SyntaxTree tree, Map<String, Long> addresses) {
    this.module = module;
    this.tree = tree;
    this.addresses = Map.copyOf(addresses);
  }

  /** Returns the module. */
  public PtxModule getModule() {
    return module;
  }

  /**
   * Returns the address of a variable.
   *
   * @throws PtxException {@link PtxStatus#NOT_FOUND} if the module has none of that name
   */
  public long getAddress(String variable) {
    Long address = addresses.get(variable);
    if (address == null) {
      String message = "%s has no variable %s; it has %s";
      throw new PtxException(
          PtxStatus.NOT_FOUND, message.formatted(module.getName(), variable, addresses.keySet()));
    }
    return address;
  }

  /**
   * Returns the bytes that a variable has when the module is loaded, with the addresses that it
   * contains. Variables without an initial value are zeros; null says so.
   *
   * @throws PtxException {@link PtxStatus#NOT_FOUND} if the module has none of that name
   */
  public byte @Nullable [] getInitialBytes(String variable) {
    getAddress(variable);
    Variable declared = tree.variables().get(variable);
    if (declared == null || declared.initial == null) {
      return null;
    }
    byte[] bytes = declared.initial.clone();
    for (Variable.Pointer pointer : declared.pointers) {
      long value = (addressOf(pointer.name()) + pointer.addend()) >>> pointer.shift();
      for (int i = 0; i < pointer.bytes() && i < 8; i++) {
        bytes[pointer.offset() + i] = (byte) (value >>> (8 * i));
      }
    }
    return bytes;
  }

  private long addressOf(String name) {
    Long address = addresses.get(name);
    if (address != null) {
      return address;
    }
    int index = tree.indexOf(name);
    return index < 0 ? 0 : Windows.ofFunction(index);
  }

  /**
   * Runs a kernel to its end.
   *
   * @throws PtxException if there is no such kernel, it is not simulated, or the grid, the block or
   *     the parameters do not fit it
   */
  public synchronized LaunchResult launch(Launch launch, Memory memory) {
    Translated translated = programs.computeIfAbsent(launch.kernel, this::translate);
    check(launch, translated.kernel);
    Grid grid = new Grid(launch.options, translated.code, translated.layout, memory, heap);
    boolean completed = grid.run();
    return new LaunchResult(
        completed, grid.reports.build(), grid.footprint(), grid.getLaneInstructions());
  }

  private Translated translate(String name) {
    PtxKernel kernel = module.getKernel(name);
    Program program =
        Program.of(
            tree,
            Objects.requireNonNull(tree.functions().get(name), name),
            new Problems(module.getName()),
            variable -> addresses.getOrDefault(variable.name, 0L));
    return new Translated(kernel, program.getKernel(), program.getLayout());
  }

  private static void check(Launch launch, PtxKernel kernel) {
    Dim3 grid = launch.options.gridSize;
    Dim3 block = launch.options.blockSize;
    boolean gridFits = grid.x() > 0 && in(grid.y(), PLANE_LIMIT) && in(grid.z(), PLANE_LIMIT);
    boolean blockFits =
        in(block.x(), BLOCK_LIMIT) && in(block.y(), BLOCK_LIMIT) && in(block.z(), DEPTH_LIMIT);
    if (!gridFits || !blockFits || block.getCount() > kernel.maxThreads()) {
      throw refused(
          "grid %s and block %s do not fit %s, which takes blocks of at most %d threads"
              .formatted(grid, block, kernel.name(), kernel.maxThreads()));
    }
    Dim3 required = kernel.requiredBlock();
    if (required.getCount() > 0 && !required.equals(block)) {
      throw refused(
          "block %s does not fit %s, which requires %s".formatted(block, kernel.name(), required));
    }
    int given = launch.options.parameters.length;
    if (given < kernel.getParameterBytes()) {
      throw refused(
          "%d bytes of parameters for %s, which has %d"
              .formatted(given, kernel.getSignature(), kernel.getParameterBytes()));
    }
  }

  private static boolean in(int value, int most) {
    return value > 0 && value <= most;
  }

  private static PtxException refused(String message) {
    return new PtxException(PtxStatus.INVALID_VALUE, message);
  }
}
