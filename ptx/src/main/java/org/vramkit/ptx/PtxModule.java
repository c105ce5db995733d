package org.vramkit.ptx;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import org.vramkit.ptx.code.Program;
import org.vramkit.ptx.code.Program.Unsimulated;
import org.vramkit.ptx.report.Dim3;
import org.vramkit.ptx.report.PtxException;
import org.vramkit.ptx.report.PtxStatus;
import org.vramkit.ptx.syntax.Function;
import org.vramkit.ptx.syntax.Parser;
import org.vramkit.ptx.syntax.Problems;
import org.vramkit.ptx.syntax.Space;
import org.vramkit.ptx.syntax.SyntaxTree;
import org.vramkit.ptx.syntax.Variable;

/**
 * A module of PTX text, parsed and checked. Texts of version 1.0 to 9.0 for targets up to sm_90 are
 * accepted, as by the driver of CUDA 13.0 on an H100. Immutable; any number of threads may use it.
 */
public final class PtxModule {
  private static final int MOST_THREADS = 1024;

  /** Bytes of parameters of a kernel, before version 8.1 or sm_70 and since. */
  private static final int MOST_PARAMETERS_OF_OLD = 4352;

  private static final int MOST_PARAMETERS = 32764;

  private final String name;
  private final SyntaxTree tree;
  private final Map<String, PtxKernel> kernels = new LinkedHashMap<>();
  private final Map<String, @Nullable Unsimulated> refusals = new HashMap<>();
  private final Map<String, PtxVariable> variables = new LinkedHashMap<>();

  private PtxModule(String name, SyntaxTree tree) {
    this.name = name;
    this.tree = tree;
  }

  /**
   * Parses an image: PTX as ASCII text, with or without a terminating NUL.
   *
   * @param name name of the text in messages, such as {@code gemm.ptx}
   * @throws PtxException if the image is not PTX, or wrong; machine code (cubin, fatbin) is {@link
   *     PtxStatus#NOT_SIMULATED}, and the message says how to get PTX
   */
  public static PtxModule parse(String name, byte[] image) {
    Objects.requireNonNull(image, "image");
    MachineCode.refuse(name, image);
    return parse(name, new String(image, StandardCharsets.ISO_8859_1));
  }

  /**
   * Parses a text.
   *
   * @param name name of the text in messages, such as {@code gemm.ptx}
   * @throws PtxException if the text is not PTX, or wrong; instructions that are not simulated are
   *     an error of {@link #getKernel} for the kernels that use them
   */
  public static PtxModule parse(String name, String text) {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(text, "text");
    Problems problems = new Problems(name);
    SyntaxTree tree = Parser.parse(text, problems);
    PtxModule module = new PtxModule(name, tree);
    module.describe(problems);
    problems.check();
    return module;
  }

  private void describe(Problems problems) {
    int constants = 0;
    for (Variable each : tree.variables().values()) {
      if (each.space == Space.CONST) {
        constants = (constants + each.alignment - 1) / each.alignment * each.alignment;
        constants += (int) each.bytes;
      }
      if (each.space == Space.CONST || each.space == Space.GLOBAL) {
        variables.put(
            each.name,
            new PtxVariable(
                each.name, each.space == Space.CONST, Math.max(1, each.bytes), each.alignment));
      }
    }
    for (Function each : tree.functions().values()) {
      if (each.defined) {
        Program program = Program.of(tree, each, problems, variable -> 0);
        if (each.entry) {
          PtxKernel kernel = kernel(each, program, constants);
          kernels.put(each.name, kernel);
          refusals.put(each.name, program.getUnsimulated());
          checkParameters(each, kernel.getParameterBytes(), problems);
        }
      }
    }
  }

  private void checkParameters(Function function, int bytes, Problems problems) {
    boolean large = tree.target() >= 70 && tree.version() >= 81;
    int most = large ? MOST_PARAMETERS : MOST_PARAMETERS_OF_OLD;
    if (bytes > most) {
      problems.add(
          function.line,
          "Entry function '%s' uses too much parameter space (0x%x bytes, 0x%x max)."
              .formatted(function.name, bytes, most));
    }
    if (bytes > MOST_PARAMETERS_OF_OLD && bytes <= MOST_PARAMETERS && !large) {
      String feature = "Feature 'Kernel parameter size larger than 4352 bytes' requires ";
      if (tree.target() < 70) {
        problems.add(function.line, feature + ".target sm_70 or higher");
      }
      if (tree.version() < 81) {
        problems.add(function.line, feature + "PTX ISA .version 8.1 or later");
      }
    }
  }

  private PtxKernel kernel(Function function, Program program, int constants) {
    List<PtxParameter> parameters = new ArrayList<>();
    int offset = 0;
    for (Variable each : function.parameters) {
      offset = (offset + each.alignment - 1) / each.alignment * each.alignment;
      boolean floating = !each.array && each.type.isFloat();
      parameters.add(
          new PtxParameter(
              each.name, each.declaration, offset, (int) each.bytes, each.alignment, floating));
      offset += (int) each.bytes;
    }
    List<Integer> required = function.getDirective("reqntid");
    List<Integer> most = function.getDirective("maxntid");
    Dim3 block = required == null ? new Dim3(0, 0, 0) : dim(required);
    long threads = required != null ? block.getCount() : most == null ? 0 : dim(most).getCount();
    return new PtxKernel(
        function.name,
        parameters,
        threads == 0 ? MOST_THREADS : (int) Math.min(MOST_THREADS, threads),
        block,
        program.getStaticBytes(),
        program.getLocalBytes(),
        constants,
        tree.target());
  }

  private static Dim3 dim(List<Integer> values) {
    return new Dim3(
        values.get(0),
        values.size() > 1 ? values.get(1) : 1,
        values.size() > 2 ? values.get(2) : 1);
  }

  /** Returns the name in messages. */
  public String getName() {
    return name;
  }

  /** Returns the kernels in the order of the text. */
  public List<PtxKernel> getKernels() {
    return List.copyOf(kernels.values());
  }

  /** Returns the variables in global and constant memory, in the order of the text. */
  public List<PtxVariable> getVariables() {
    return List.copyOf(variables.values());
  }

  /** Returns what the driver's compiler would write to its info log; empty if there is nothing. */
  public List<String> getWarnings() {
    return List.copyOf(tree.warnings());
  }

  /**
   * Returns a kernel.
   *
   * @throws PtxException {@link PtxStatus#NOT_FOUND} if there is none of that name; {@link
   *     PtxStatus#NOT_SIMULATED} if it uses an instruction that is not simulated, which the message
   *     names with its line
   */
  public PtxKernel getKernel(String kernel) {
    PtxKernel found = kernels.get(kernel);
    if (found == null) {
      throw new PtxException(
          PtxStatus.NOT_FOUND,
          "%s has no kernel %s; it has %s".formatted(name, kernel, kernels.keySet()));
    }
    Unsimulated refused = refusals.get(kernel);
    if (refused != null) {
      throw new PtxException(
          PtxStatus.NOT_SIMULATED,
          refused.line().ptxLine(),
          "%s (%s) is not simulated".formatted(refused.instruction(), refused.line()),
          "");
    }
    return found;
  }

  /**
   * Loads the module: gives its variables their addresses. The caller provides the memory and
   * copies the {@linkplain LoadedModule#getInitialBytes initial bytes} there.
   *
   * @param addresses gives the device address of each variable
   */
  public LoadedModule load(ToLongFunction<PtxVariable> addresses) {
    Map<String, Long> found = new LinkedHashMap<>();
    variables.values().forEach(each -> found.put(each.name(), addresses.applyAsLong(each)));
    return new LoadedModule(this, tree, found);
  }
}
