#!/usr/bin/env bash
# JCuda 12.6.0: contains the CUDA runtime 12.0, and says so in its constants.
#
# A reader expects jcuda 12.6.0 to be CUDA 12.6, as its version is. CUDA_VERSION, CUDART_VERSION and the runtime that is
# linked into the natives are 12.0: structures, attributes and error names of 12.1 to 12.6 are missing, and a test for
# CUDART_VERSION >= 12060 is false. An installed toolkit does not change that. Runs without a GPU.
source "$(dirname "${BASH_SOURCE[0]}")/common.bash"
use_jdk
fetch org.jcuda:jcuda:12.6.0 org.jcuda:jcuda-natives:12.6.0:linux-x86_64

cat >Probe.java <<'END'
import jcuda.driver.JCudaDriver;
import jcuda.runtime.JCuda;

class Probe {
  public static void main(String[] arguments) {
    int[] version = new int[1];
    JCuda.cudaRuntimeGetVersion(version);
    System.out.println("JCudaDriver.CUDA_VERSION: " + JCudaDriver.CUDA_VERSION);
    System.out.println("JCuda.CUDART_VERSION: " + JCuda.CUDART_VERSION);
    System.out.println("cudaRuntimeGetVersion: " + version[0]);
  }
}
END

guess='JCudaDriver.CUDA_VERSION: 12060
JCuda.CUDART_VERSION: 12060
cudaRuntimeGetVersion: 12060'
known='JCudaDriver.CUDA_VERSION: 12000
JCuda.CUDART_VERSION: 12000
cudaRuntimeGetVersion: 12000'
observe "jcuda 12.6.0, $(jdk_version)" "$java" -Djava.io.tmpdir="$work" -cp 'lib/*' Probe.java
