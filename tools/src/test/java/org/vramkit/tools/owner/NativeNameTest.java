package org.vramkit.tools.owner;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("The outermost scope of a native function")
class NativeNameTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "at::empty(c10::ArrayRef<long>) | at",
        "void at::cuda::blas::gemm<float>(char, char, long, float const*) | at",
        "_object* torch::autograd::TypeError_to_NotImplemented_<&f>(_object*, _object*) | torch",
        "std::vector<at::Tensor, std::allocator<at::Tensor> > app::step<float>(int) | app",
        "unsigned long const& app::Cache<std::pair<int, long> >::size() const | app",
        "decltype(auto) app::visit<int>(int) | app",
        "auto app::visit<int>(int) | app",
        "class at::Tensor __cdecl app::make(void) | app",
        "(anonymous namespace)::THPFunction_apply(_object*, _object*) | THPFunction_apply",
        "at::(anonymous namespace)::wrapper_CUDA_cat(c10::IListRef<at::Tensor> const&, long) | at",
        "`anonymous namespace'::step | step",
        "app::Model::forward(at::Tensor)::{lambda(long)#1}::operator()(long) const | app",
        "main::{lambda(int)#1}::operator()(int) const | main",
        "bool app::operator< <int>(app::Key const&, int) | app",
        "app::Key::operator->() const | app",
        "app::Key::operator bool() const | app",
        "std::ostream& app::operator<<(std::ostream&, app::Key const&) | app",
        "non-virtual thunk to app::Model::step() | app",
        "_ZN2at6native5emptyEv | at",
        "_ZNK3c106Tensor4sizeEv | c10",
        "_ZN12_GLOBAL__N_13app4stepEv | app",
        "_ZNSt6vectorIiSaIiEE9push_backERKi | std",
        "_Z4stepi | step",
        "cudaMalloc | cudaMalloc",
        "'' | ''"
      })
  void scope(String name, String scope) {
    assertEquals(scope, NativeName.scope(name));
  }
}
