package org.vramkit.ptx;

import org.vramkit.ptx.report.PtxException;
import org.vramkit.ptx.report.PtxStatus;

/** Recognises machine code, of which there is nothing to simulate. */
final class MachineCode {
  private static final int CUDA_MACHINE = 190;

  private MachineCode() {}

  static void refuse(String name, byte[] image) {
    boolean elf = starts(image, 0x7f, 'E', 'L', 'F');
    boolean cubin = elf && image.length > 19 && (image[18] & 0xff) == CUDA_MACHINE;
    boolean fatbin = starts(image, 0x50, 0xed, 0x55, 0xba);
    if (cubin || fatbin) {
      throw new PtxException(
          PtxStatus.NOT_SIMULATED,
          name
              + " is machine code ("
              + (cubin ? "cubin" : "fatbin")
              + "), of which no GPU-free run exists: bring the PTX, from nvcc -ptx, from NVRTC's"
              + " nvrtcGetPTX, or from cuobjdump -ptx");
    }
    if (elf) {
      throw new PtxException(
          PtxStatus.INVALID_IMAGE, name + " is an ELF file that has no CUDA code");
    }
  }

  private static boolean starts(byte[] image, int... magic) {
    if (image.length < magic.length) {
      return false;
    }
    for (int i = 0; i < magic.length; i++) {
      if ((image[i] & 0xff) != magic[i]) {
        return false;
      }
    }
    return true;
  }
}
