package org.vramkit.ptx.report;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("A header of CUDA is known by the folder of its toolkit")
class CodeLineTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "/usr/local/cuda/include/cooperative_groups/details/helpers.h",
        "/usr/local/cuda-13.0/bin/../targets/x86_64-linux/include/crt/sm_70_rt.hpp",
        "C:\\Program Files\\NVIDIA GPU Computing Toolkit\\CUDA\\v13.0\\include\\cub\\cub.cuh"
      })
  void toolkit(String path) {
    assertTrue(CodeLine.isOfCuda(path));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/home/me/cuda-filters/include/filter.cuh",
        "/home/me/mycuda/include/filter.cuh",
        "/usr/local/cuda/samples/sum.cu",
        "sum.cu"
      })
  void program(String path) {
    assertFalse(CodeLine.isOfCuda(path));
  }
}
