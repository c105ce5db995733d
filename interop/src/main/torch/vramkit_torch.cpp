// Gives programs that are not written in Java device memory of Vramkit, by the functions of a PyTorch pluggable allocator.
// vramkit_start starts a JVM within the process; the other functions call Java through the addresses that it returns.
// The JVM attaches a thread at its first call, and detaches it when the thread ends.
//
//   c++ -O2 -shared -fPIC -I$JAVA_HOME/include -I$JAVA_HOME/include/linux -o libvramkit_torch.so vramkit_torch.cpp -ldl

#include <dlfcn.h>
#include <jni.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
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
  void (*free_all)(void *const *memory, std::int64_t count);
  void (*set_reclaim)(std::int64_t (*give_back)());
};

functions vramkit;
int vramkit_device;
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

// ---- the front ----
//
// A call into Java loads hundreds of cache lines that the program has evicted. So each thread holds the blocks that it
// freed last, and takes them again for the same stream and size; Java counts them as live meanwhile. A full front gives
// half of its blocks back by one call. Other threads take blocks out of a front only to give them back.

// A block that Java allocated and that a front may hold. The slot belongs to the thread that replaces the null address.
struct slot {
  std::atomic<void *> address{nullptr};
  std::atomic<int> state{0};
  void *stream;
  std::int64_t bytes;
};

enum state { none, live, used_elsewhere, held };

// A hash table with bounded probes. A block without a slot is never held.
class slots {
 public:
  void add(void *address, std::int64_t bytes, void *stream) {
    for (std::size_t i = 0; i < probes; i++) {
      slot &each = at(address, i);
      void *free = nullptr;
      if (each.address.load(std::memory_order_relaxed) == nullptr && each.address.compare_exchange_strong(free, address)) {
        each.stream = stream;
        each.bytes = bytes;
        each.state.store(live, std::memory_order_release);
        return;
      }
    }
  }

  slot *find(void *address) {
    for (std::size_t i = 0; i < probes; i++) {
      slot &each = at(address, i);
      if (each.address.load(std::memory_order_acquire) == address) {
        return &each;
      }
    }
    return nullptr;
  }

  // Called by the thread that took the block out of the state live, used_elsewhere or held.
  static void remove(slot &block) {
    block.state.store(none, std::memory_order_relaxed);
    block.address.store(nullptr, std::memory_order_release);
  }

 private:
  static constexpr std::size_t bits = 13;
  static constexpr std::size_t probes = 16;

  slot &at(void *address, std::size_t i) {
    auto hash = (reinterpret_cast<std::uintptr_t>(address) >> 9) * 0x9E3779B97F4A7C15u >> (64 - bits);
    return all[(hash + i) & ((std::size_t{1} << bits) - 1)];
  }

  slot all[std::size_t{1} << bits];
};

slots known;

class front {
 public:
  static constexpr std::int64_t most_bytes_of_block = 8 << 20;

  // Returns the block that was freed last for a stream and a size, or null.
  void *take(std::int64_t bytes, void *stream) {
    locked self(busy);
    for (int i = count - 1; i >= 0; i--) {
      if (entries[i].bytes == bytes && entries[i].stream == stream) {
        slot &block = *entries[i].block;
        for (count--; i < count; i++) {
          entries[i] = entries[i + 1];
        }
        held_bytes -= bytes;
        hits.store(hits.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
        void *address = block.address.load(std::memory_order_relaxed);
        block.state.store(live, std::memory_order_release);
        return address;
      }
    }
    return nullptr;
  }

  // Holds a block; a full front gives the older half back.
  void hold(slot &block) {
    void *given[most];
    int many = 0;
    {
      locked self(busy);
      if (count == most || held_bytes + block.bytes > most_bytes) {
        many = take_out((count + 1) / 2, given);
        while (held_bytes + block.bytes > most_bytes) {
          many += take_out(1, given + many);
        }
      }
      entries[count++] = {block.bytes, block.stream, &block};
      held_bytes += block.bytes;
    }
    give(given, many);
  }

  // Gives all blocks back; returns their bytes.
  std::int64_t give_back() {
    void *given[most];
    int many;
    std::int64_t bytes;
    {
      locked self(busy);
      bytes = held_bytes;
      many = take_out(count, given);
    }
    give(given, many);
    return bytes;
  }

  std::int64_t get_held_bytes() {
    locked self(busy);
    return held_bytes;
  }

  std::int64_t get_hits() const {
    return hits.load(std::memory_order_relaxed);
  }

 private:
  static constexpr int most = 64;
  static constexpr std::int64_t most_bytes = 16 << 20;

  struct entry {
    std::int64_t bytes;
    void *stream;
    slot *block;
  };

  // A lock for a few instructions.
  class locked {
   public:
    explicit locked(std::atomic_flag &flag) : flag(flag) {
      while (flag.test_and_set(std::memory_order_acquire)) {
        std::this_thread::yield();
      }
    }

    ~locked() {
      flag.clear(std::memory_order_release);
    }

   private:
    std::atomic_flag &flag;
  };

  // Takes the oldest blocks out, under the lock.
  int take_out(int many, void **given) {
    for (int i = 0; i < many; i++) {
      held_bytes -= entries[i].bytes;
      given[i] = entries[i].block->address.load(std::memory_order_relaxed);
      slots::remove(*entries[i].block);
    }
    count -= many;
    for (int i = 0; i < count; i++) {
      entries[i] = entries[i + many];
    }
    return many;
  }

  static void give(void *const *given, int many) {
    if (many > 0) {
      vramkit.free_all(given, many);
    }
  }

  std::atomic_flag busy = ATOMIC_FLAG_INIT;
  int count = 0;
  std::int64_t held_bytes = 0;
  std::atomic<std::int64_t> hits{0};
  entry entries[most];
};

// The fronts of all threads. Never destroyed, because threads may end after static objects.
struct fronts {
  std::mutex mutex;
  std::vector<front *> all;
  std::int64_t hits_of_ended = 0;
};

fronts &every = *new fronts;
thread_local front *mine = nullptr;
thread_local bool has_ended = false;

// Gives a thread's blocks back when it ends. The main thread ends with the process, which needs no memory.
struct end_of_thread {
  ~end_of_thread() {
    front *last = mine;
    mine = nullptr;
    has_ended = true;
    if (last == nullptr || syscall(SYS_gettid) == getpid()) {
      return;
    }
    {
      std::lock_guard<std::mutex> guard(every.mutex);
      for (std::size_t i = 0; i < every.all.size(); i++) {
        if (every.all[i] == last) {
          every.all.erase(every.all.begin() + i);
          break;
        }
      }
      every.hits_of_ended += last->get_hits();
    }
    last->give_back();
    delete last;
  }
};

// Returns this thread's front; null while the thread ends.
front *own_front() {
  if (mine == nullptr && !has_ended) {
    // Attaches the thread first, so that the JVM detaches it after the end of the front.
    vramkit.free_all(nullptr, 0);
    thread_local end_of_thread end;
    static_cast<void>(end);
    mine = new front;
    std::lock_guard<std::mutex> guard(every.mutex);
    every.all.push_back(mine);
  }
  return mine;
}

// Gives all blocks of all threads back to Java, which calls this when it has too little memory; returns their bytes.
// A thread that ends meanwhile waits for the mutex before its front goes.
std::int64_t give_all_back() {
  std::lock_guard<std::mutex> guard(every.mutex);
  std::int64_t bytes = 0;
  for (front *each : every.all) {
    bytes += each->give_back();
  }
  return bytes;
}

// Returns whether the caller's front holds a freed block now. Java gets blocks that other streams used, and reports
// what was freed twice or is no block.
bool is_held(void *memory, void *stream) {
  slot *block = known.find(memory);
  if (block == nullptr) {
    return false;
  }
  front *own = own_front();
  int before = live;
  if (own != nullptr && block->stream == stream && block->state.compare_exchange_strong(before, held)) {
    own->hold(*block);
    return true;
  }
  if (before == held) {
    give_all_back();
  } else if ((before == live || before == used_elsewhere) && block->state.compare_exchange_strong(before, none)) {
    slots::remove(*block);
  }
  return false;
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
    vramkit_device = device;
    vramkit.set_reclaim(give_all_back);
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
  bool may_be_held = device == vramkit_device && bytes > 0 && bytes <= front::most_bytes_of_block;
  front *own = may_be_held ? own_front() : nullptr;
  void *memory = own == nullptr ? nullptr : own->take(bytes, stream);
  if (memory != nullptr) {
    return memory;
  }
  memory = vramkit.allocate(bytes, device, stream);
  if (memory == nullptr && bytes != 0) {
    std::string text(4096, '\0');
    vramkit.last_failure(text.data(), text.size());
    throw std::runtime_error(text.c_str());
  }
  if (own != nullptr) {
    known.add(memory, bytes, stream);
  }
  return memory;
}

void vramkit_free(void *memory, std::int64_t bytes, int device, void *stream) {
  if (device != vramkit_device || !is_held(memory, stream)) {
    vramkit.free(memory, bytes, device, stream);
  }
}

void vramkit_empty_cache() {
  give_all_back();
  vramkit.empty_cache();
}

void vramkit_record_stream(void *memory, void *stream) {
  slot *block = known.find(memory);
  int before = live;
  if (block != nullptr) {
    block->state.compare_exchange_strong(before, used_elsewhere);
  }
  if (before == held) {
    give_all_back();  // Java reports the use of a freed block.
  }
  vramkit.record_use(memory, stream);
}

// Writes the requested bytes and their peak, the reserved bytes and their peak, and the number of allocations so far.
// The peak of the requested bytes includes what fronts held then.
void vramkit_statistics(std::int64_t figures[5]) {
  vramkit.statistics(figures);
  std::lock_guard<std::mutex> guard(every.mutex);
  figures[4] += every.hits_of_ended;
  for (front *each : every.all) {
    figures[0] -= each->get_held_bytes();
    figures[4] += each->get_hits();
  }
}

}  // extern "C"
