// Gives programs that are not written in Java device memory of Vramkit, by the functions of a PyTorch pluggable allocator.
// vramkit_start starts a JVM within the process; the other functions call Java through the addresses that it returns.
// The JVM attaches a thread at its first call, and detaches it when the thread ends.
//
//   c++ -O2 -shared -fPIC -I$JAVA_HOME/include -I$JAVA_HOME/include/linux -o libvramkit_torch.so vramkit_torch.cpp -ldl

#include <dlfcn.h>
#include <jni.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

// In the order of EmbeddedAllocator.start.
struct functions {
  void *(*allocate)(std::int64_t bytes, int device, void *stream);
  void (*free)(void *memory, std::int64_t bytes, int device, void *stream);
  void (*empty_cache)();
  void (*record_use)(void *memory, void *stream);
  void (*statistics)(std::int64_t *figures);
  void (*last_failure)(char *text, std::int64_t capacity);
};

functions vramkit;
std::string failure;

// Clears the pending exception and returns its text.
std::string take_exception(JNIEnv *jni) {
  jthrowable thrown = jni->ExceptionOccurred();
  jni->ExceptionClear();
  jmethodID to_string = jni->GetMethodID(jni->FindClass("java/lang/Object"), "toString", "()Ljava/lang/String;");
  auto text = static_cast<jstring>(jni->CallObjectMethod(thrown, to_string));
  if (text == nullptr) {
    return "an exception without a text";
  }
  const char *bytes = jni->GetStringUTFChars(text, nullptr);
  std::string copy = bytes;
  jni->ReleaseStringUTFChars(text, bytes);
  return copy;
}

JNIEnv *create_jvm(const char *libjvm, const char *const *options, int count) {
  void *library = dlopen(libjvm, RTLD_NOW | RTLD_GLOBAL);
  if (library == nullptr) {
    throw std::runtime_error(std::string("cannot load the JVM: ") + dlerror() + "; pass the path of lib/server/libjvm.so of a JDK or JRE 22 or newer");
  }
  auto create = reinterpret_cast<jint (*)(JavaVM **, void **, void *)>(dlsym(library, "JNI_CreateJavaVM"));
  if (create == nullptr) {
    throw std::runtime_error(std::string(libjvm) + " has no JNI_CreateJavaVM; pass the path of lib/server/libjvm.so of a JDK or JRE");
  }
  std::vector<JavaVMOption> all(count);
  for (int i = 0; i < count; i++) {
    all[i].optionString = const_cast<char *>(options[i]);
  }
  JavaVMInitArgs arguments{JNI_VERSION_10, count, all.data(), JNI_FALSE};
  JavaVM *jvm;
  JNIEnv *jni;
  jint code = create(&jvm, reinterpret_cast<void **>(&jni), &arguments);
  if (code != JNI_OK) {
    throw std::runtime_error("the JVM does not start (JNI error " + std::to_string(code) + "); it has printed the reason to stderr");
  }
  return jni;
}

functions start_allocator(JNIEnv *jni, int device) {
  jclass embedded = jni->FindClass("org/vramkit/interop/EmbeddedAllocator");
  jmethodID start = embedded == nullptr ? nullptr : jni->GetStaticMethodID(embedded, "start", "(I)[J");
  auto addresses = start == nullptr ? nullptr : static_cast<jlongArray>(jni->CallStaticObjectMethod(embedded, start, device));
  if (jni->ExceptionCheck()) {
    throw std::runtime_error(take_exception(jni));
  }
  functions made;
  jni->GetLongArrayRegion(addresses, 0, sizeof made / sizeof(jlong), reinterpret_cast<jlong *>(&made));
  return made;
}

}  // namespace

extern "C" {

// Starts the JVM and an allocator of a device. Returns null, or the error message. A process can start only one JVM.
const char *vramkit_start(const char *libjvm, const char *const *options, int count, int device) {
  try {
    if (vramkit.allocate != nullptr) {
      throw std::runtime_error("vramkit_start was called before; a process has one JVM, with one device");
    }
    vramkit = start_allocator(create_jvm(libjvm, options, count), device);
    return nullptr;
  } catch (const std::exception &e) {
    failure = e.what();
    return failure.c_str();
  }
}

// Throws if the allocation fails: PyTorch converts the exception to a Python exception, but would use a null pointer.
void *vramkit_allocate(std::int64_t bytes, int device, void *stream) {
  if (vramkit.allocate == nullptr) {
    throw std::runtime_error("Vramkit is not started; call vramkit_start first");
  }
  void *memory = vramkit.allocate(bytes, device, stream);
  if (memory == nullptr && bytes != 0) {
    std::string text(4096, '\0');
    vramkit.last_failure(text.data(), text.size());
    throw std::runtime_error(text.c_str());
  }
  return memory;
}

void vramkit_free(void *memory, std::int64_t bytes, int device, void *stream) {
  vramkit.free(memory, bytes, device, stream);
}

void vramkit_empty_cache() {
  vramkit.empty_cache();
}

void vramkit_record_stream(void *memory, void *stream) {
  vramkit.record_use(memory, stream);
}

// Writes the requested bytes and their peak, the reserved bytes and their peak, and the number of allocations so far.
void vramkit_statistics(std::int64_t figures[5]) {
  vramkit.statistics(figures);
}

}  // extern "C"
