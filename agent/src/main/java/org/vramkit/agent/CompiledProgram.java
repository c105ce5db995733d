package org.vramkit.agent;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A program in CUDA C++, which nvcc compiles to PTX in a folder that is deleted afterwards. */
final class CompiledProgram {
  /** Statuses of NVRTC. */
  static final int INVALID_INPUT = 3;

  static final int INVALID_PROGRAM = 4;
  static final int INVALID_OPTION = 5;
  private static final int COMPILATION = 6;
  private static final int INTERNAL_ERROR = 11;

  private static final int NO_NAMES_AFTER_COMPILATION = 8;
  private static final int NO_LOWERED_NAMES_BEFORE_COMPILATION = 9;
  private static final int NAME_NOT_VALID = 10;

  private static final String FILE = "program.cu";

  /** The variable whose initial value in PTX has the lowered names. */
  private static final String NAMES = "vramkit_names";

  private static final Pattern LOWERED =
      Pattern.compile("\\n[^\\n]*\\b" + NAMES + "\\b[^=\\n]*= \\{?([^;}]*)\\}?;");

  private final String source;
  private final String name;
  private final Map<String, String> headers = new LinkedHashMap<>();
  private final List<String> expressions = new ArrayList<>();
  private final Map<String, String> lowered = new HashMap<>();
  private String log = "";
  private String ptx = "";
  private boolean compiled;
  private boolean forGpu;

  CompiledProgram(String source, String name) {
    this.source = source;
    this.name = name;
  }

  void addHeader(String includeName, String text) {
    headers.put(includeName, text);
  }

  String getLog() {
    return log;
  }

  String getPtx() {
    return ptx;
  }

  /** Returns what the simulated driver loads as the code for a GPU; empty if there is none. */
  String getCode() {
    return forGpu ? ptx : "";
  }

  void addName(String expression) {
    CudaError.require(!compiled, NO_NAMES_AFTER_COMPILATION);
    expressions.add(expression);
  }

  /** Returns the name in PTX of what an expression of C++ names. */
  String getLoweredName(String expression) {
    CudaError.require(compiled, NO_LOWERED_NAMES_BEFORE_COMPILATION);
    return CudaError.found(lowered.get(expression), NAME_NOT_VALID);
  }

  /** Returns the source, with the variable of the names that the program asks for. */
  private String namedSource() {
    return expressions.isEmpty()
        ? source
        : expressions.stream()
            .map(each -> each.strip().replaceFirst("^&", ""))
            .collect(
                Collectors.joining(
                    "),\n(const void *)&(",
                    source
                        + "\nextern \"C\" __device__ const void *const "
                        + NAMES
                        + "[] = {\n#line 1 \"__nv_name_map\"\n(const void *)&(",
                    ")};\n"));
  }

  private void lower() {
    Matcher found = LOWERED.matcher(ptx);
    if (!expressions.isEmpty() && found.find()) {
      String[] names = found.group(1).replaceAll("generic\\(|\\)", "").split(",", -1);
      for (int i = 0; i < names.length; i++) {
        lowered.put(expressions.get(i), names[i].strip());
      }
      ptx = found.replaceFirst("");
    }
  }

  /** Returns nvcc in a list of folders such as that of the variable PATH; null for none. */
  static @Nullable Path findCompiler(String folders) {
    return Stream.of(folders.split(File.pathSeparator, -1))
        .filter(folder -> !folder.isEmpty())
        .map(folder -> Path.of(folder, "nvcc"))
        .filter(Files::isExecutable)
        .findFirst()
        .orElse(null);
  }

  /** Compiles, and returns the status of NVRTC. */
  int compile(List<String> options) {
    return compile(findCompiler(System.getenv().getOrDefault("PATH", "")), options);
  }

  int compile(@Nullable Path compiler, List<String> options) {
    if (compiler == null) {
      throw new UnsupportedOperationException(
          "nvrtcCompileProgram needs nvcc on the PATH, and there is none: compile the kernels"
              + " elsewhere by nvcc -ptx, and let the program load the PTX");
    }
    compiled = true;
    log = CompilerOptions.problemOf(options);
    if (!log.isEmpty()) {
      return INVALID_OPTION;
    }
    if (CompilerOptions.haveWrongFeatures(options)) {
      log =
          """
          Command-line error: invalid or no value specified with --nv_arch flag

          1 catastrophic error detected in this compilation.
          Compilation terminated.
          """;
      return COMPILATION;
    }
    try {
      Path folder = Files.createTempDirectory("vramkit-nvrtc");
      try {
        return compile(compiler, options, folder);
      } finally {
        delete(folder);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CudaError(INTERNAL_ERROR);
    }
  }

  private int compile(Path compiler, List<String> options, Path folder)
      throws IOException, InterruptedException {
    String shown = '"' + name.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    Files.writeString(folder.resolve(FILE), "#line 1 " + shown + "\n" + namedSource());
    for (Map.Entry<String, String> header : headers.entrySet()) {
      Path path = folder.resolve(header.getKey()).normalize();
      CudaError.require(path.startsWith(folder), INVALID_INPUT);
      Files.createDirectories(CudaError.found(path.getParent(), 1));
      Files.writeString(path, header.getValue());
    }
    List<String> command = new ArrayList<>(List.of(compiler.toString(), "-ptx", "-I."));
    if (options.stream().noneMatch(each -> each.matches("(-arch|--gpu-architecture)\\b.*"))) {
      command.add("-arch=sm_75");
    }
    command.addAll(CompilerOptions.ofNvcc(options));
    command.addAll(List.of("-o", "program.ptx", FILE));
    boolean isCompiled = run(command, folder);
    log = CompilerLog.ofNvrtc(log, source, options).replace('"' + FILE + '"', shown);
    if (!isCompiled) {
      return log.startsWith("nvcc fatal") ? INVALID_OPTION : COMPILATION;
    }
    ptx = Files.readString(folder.resolve("program.ptx"));
    lower();
    forGpu = CompilerOptions.areForGpu(options);
    if (forGpu && CompilerOptions.areForAssembler(options)) {
      command.subList(1, command.size()).clear();
      command.add("-cubin");
      command.addAll(CompilerOptions.ofNvcc(options));
      command.add("program.ptx");
      String before = log;
      isCompiled = run(command, folder);
      log = before + log;
    }
    return isCompiled ? 0 : COMPILATION;
  }

  /** Runs a command whose output becomes the log; returns whether it succeeds. */
  private boolean run(List<String> command, Path folder) throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true).start();
    log = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return process.waitFor() == 0;
  }

  private static void delete(Path folder) throws IOException {
    try (Stream<Path> all = Files.walk(folder)) {
      for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(each);
      }
    }
  }
}
