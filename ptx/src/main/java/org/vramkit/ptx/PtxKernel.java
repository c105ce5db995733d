package org.vramkit.ptx;

import java.util.List;
import java.util.stream.Collectors;
import org.vramkit.ptx.report.Dim3;

/**
 * A kernel of a module, with the attributes that the driver reports.
 *
 * @param name its name, mangled if it is of C++
 * @param parameters its parameters in order
 * @param maxThreads the most threads of a block, by {@code .maxntid} or {@code .reqntid}; 1024 if
 *     there is neither
 * @param requiredBlock the block size of {@code .reqntid}; (0,0,0) if there is none
 * @param sharedBytes static shared memory of a block
 * @param localBytes local memory of a thread that is declared as variables
 * @param constantBytes constants of the module
 * @param ptxVersion the target of the text, such as 75
 */
public record PtxKernel(
    String name,
    List<PtxParameter> parameters,
    int maxThreads,
    Dim3 requiredBlock,
    int sharedBytes,
    int localBytes,
    int constantBytes,
    int ptxVersion) {
  /** Creates the description of a kernel. */
  public PtxKernel {
    parameters = List.copyOf(parameters);
  }

  /** Returns the bytes of all parameters, which a launch takes. */
  public int getParameterBytes() {
    if (parameters.isEmpty()) {
      return 0;
    }
    PtxParameter last = parameters.get(parameters.size() - 1);
    return last.offset() + last.bytes();
  }

  /** Returns the signature as PTX: the name and the parameters. */
  public String getSignature() {
    return ".entry "
        + name
        + parameters.stream()
            .map(PtxParameter::toString)
            .collect(Collectors.joining(", ", "(", ")"));
  }
}
