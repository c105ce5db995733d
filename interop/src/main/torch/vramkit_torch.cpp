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
  void *(*exchange)(std::int64_t bytes, int device, void *stream, void **blocks, std::int64_t counts[2]);
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
  constexpr jsize expected = sizeof made / sizeof(jlong);
  jsize found = jni->GetArrayLength(addresses);
  if (found != expected) {
    throw std::runtime_error("this library expects " + std::to_string(expected) + " functions of Vramkit's jars, which have " + std::to_string(found) +
                             "; build the library from the sources of the same version as the jars");
  }
  jni->GetLongArrayRegion(addresses, 0, expected, reinterpret_cast<jlong *>(&made));
  return made;
}

// ---- the front ----
//
// A call into Java loads hundreds of cache lines that the program has evicted. So each thread holds the blocks that it
// freed last, and takes them again for the same stream and size; Java counts them as live meanwhile. Large blocks go
// back with the thread's next call, small ones when there are many, and a small size that is missed again and again
// comes several at a time. Other threads take blocks out of a front only to give them back.

enum state { none, live, used_elsewhere, held };

// A block that Java allocated and that a front may hold. The slot belongs to the thread that replaces the null address.
struct slot {
  std::atomic<void *> address{nullptr};
  std::atomic<enum state> state{none};
  void *stream;
  std::int64_t bytes;
};

// A hash table with bounded probes. A block without a slot is never held.
class slots {
 public:
  slot *add(void *address, std::int64_t bytes, void *stream, state first) {
    for (std::size_t i = 0; i < probes; i++) {
      slot &each = at(address, i);
      void *free = nullptr;
      if (each.address.load(std::memory_order_relaxed) == nullptr && each.address.compare_exchange_strong(free, address)) {
        each.stream = stream;
        each.bytes = bytes;
        each.state.store(first, std::memory_order_release);
        return &each;
      }
    }
    return nullptr;
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

// Freed blocks, oldest first.
template <int Most, std::int64_t MostBytes>
class list {
 public:
  static constexpr int most = Most;

  slot *take(std::int64_t wanted, void *stream) {
    for (int i = count - 1; i >= 0; i--) {
      if (entries[i].bytes == wanted && entries[i].stream == stream) {
        slot *block = entries[i].block;
        for (count--; i < count; i++) {
          entries[i] = entries[i + 1];
        }
        bytes -= wanted;
        return block;
      }
    }
    return nullptr;
  }

  bool has_room(int blocks, std::int64_t of_bytes) const {
    return count + blocks <= most && bytes + of_bytes <= MostBytes;
  }

  void add(slot &block) {
    entries[count++] = {block.bytes, block.stream, &block};
    bytes += block.bytes;
  }

  // Takes the oldest blocks out; returns their number.
  int take_out(int many, void **given) {
    for (int i = 0; i < many; i++) {
      bytes -= entries[i].bytes;
      given[i] = entries[i].block->address.load(std::memory_order_relaxed);
      slots::remove(*entries[i].block);
    }
    count -= many;
    for (int i = 0; i < count; i++) {
      entries[i] = entries[i + many];
    }
    return many;
  }

  int get_count() const {
    return count;
  }

  std::int64_t get_bytes() const {
    return bytes;
  }

 private:
  struct entry {
    std::int64_t bytes;
    void *stream;
    slot *block;
  };

  int count = 0;
  std::int64_t bytes = 0;
  entry entries[Most];
};

class front {
 public:
  static constexpr std::int64_t most_bytes_of_block = 4 << 20;

  // Returns the block that was freed last for a stream and a size, or allocates one; null if that fails.
  void *allocate(std::int64_t bytes, int device, void *stream) {
    void *blocks[most];
    std::int64_t counts[2] = {0, 0};
    {
      locked self(busy);
      slot *block = bytes <= most_bytes_of_small ? small.take(bytes, stream) : large.take(bytes, stream);
      if (block != nullptr) {
        void *address = block->address.load(std::memory_order_relaxed);
        block->state.store(live, std::memory_order_release);
        allocated.store(allocated.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
        return address;
      }
      counts[0] = large.take_out(large.get_count(), blocks);
      if (is_missed_again(bytes)) {
        counts[1] = most_bytes_of_refill / bytes < most_of_refill ? most_bytes_of_refill / bytes : most_of_refill;
        if (!small.has_room(counts[1], counts[1] * bytes)) {
          counts[0] += small.take_out(small.get_count(), blocks + counts[0]);
        }
      }
    }
    void *memory = counts[0] + counts[1] == 0 ? vramkit.allocate(bytes, device, stream)
                                              : vramkit.exchange(bytes, device, stream, blocks, counts);
    if (memory != nullptr) {
      allocated.store(allocated.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
      if (bytes <= most_bytes_of_block) {
        known.add(memory, bytes, stream, live);
      }
    }
    keep(blocks, counts[1], bytes, stream);
    return memory;
  }

  // Holds a block; a full front gives the older ones back.
  void hold(slot &block) {
    void *given[most];
    int many = 0;
    {
      locked self(busy);
      if (block.bytes > most_bytes_of_small) {
        if (!large.has_room(1, block.bytes)) {
          many = large.take_out(large.get_count(), given);
        }
        large.add(block);
      } else {
        if (!small.has_room(1, block.bytes)) {
          many = small.take_out((small.get_count() + 1) / 2, given);
        }
        small.add(block);
      }
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
      bytes = small.get_bytes() + large.get_bytes();
      many = large.take_out(large.get_count(), given);
      many += small.take_out(small.get_count(), given + many);
    }
    give(given, many);
    return bytes;
  }

  std::int64_t get_held_bytes() {
    locked self(busy);
    return small.get_bytes() + large.get_bytes();
  }

  // Returns the number of allocations so far.
  std::int64_t get_allocated() const {
    return allocated.load(std::memory_order_relaxed);
  }

 private:
  static constexpr std::int64_t most_bytes_of_small = 128 << 10;
  static constexpr std::int64_t most_bytes_of_refill = 512 << 10;
  static constexpr std::int64_t most_of_refill = 7;
  static constexpr int missed_bits = 6;

  using small_list = list<128, 8 << 20>;
  using large_list = list<32, 16 << 20>;
  static constexpr int most = small_list::most + large_list::most;

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

  // Returns whether the same small size was missed before, and notes it.
  bool is_missed_again(std::int64_t bytes) {
    if (bytes > most_bytes_of_small) {
      return false;
    }
    std::int64_t &last = missed[static_cast<std::uint64_t>(bytes) * 0x9E3779B97F4A7C15u >> (64 - missed_bits)];
    bool again = last == bytes;
    last = bytes;
    return again;
  }

  // Holds blocks that came with another one.
  void keep(void **blocks, std::int64_t count, std::int64_t bytes, void *stream) {
    int unknown = 0;
    for (std::int64_t i = 0; i < count; i++) {
      slot *block = known.add(blocks[i], bytes, stream, held);
      if (block == nullptr) {
        blocks[unknown++] = blocks[i];
      } else {
        hold(*block);
      }
    }
    give(blocks, unknown);
  }

  static void give(void *const *given, int many) {
    if (many > 0) {
      vramkit.free_all(given, many);
    }
  }

  std::atomic_flag busy = ATOMIC_FLAG_INIT;
  std::atomic<std::int64_t> allocated{0};
  std::int64_t missed[1 << missed_bits] = {};
  small_list small;
  large_list large;
};

// The fronts of all threads. Never destroyed, because threads may end after static objects.
struct fronts {
  std::mutex mutex;
  std::vector<front *> all;
  std::atomic<std::int64_t> allocated_without{0};
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
      every.allocated_without += last->get_allocated();
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
  state before = live;
  if (own != nullptr && block->stream == stream && block->state.compare_exchange_strong(before, held)) {
    own->hold(*block);
    return true;
  }
  before = block->state.load();
  while ((before == live || before == used_elsewhere) && !block->state.compare_exchange_weak(before, none)) {
  }
  if (before == held) {
    give_all_back();
  } else if (before != none) {
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
  front *own = device == vramkit_device && bytes > 0 ? own_front() : nullptr;
  void *memory;
  if (own != nullptr) {
    memory = own->allocate(bytes, device, stream);
  } else {
    memory = vramkit.allocate(bytes, device, stream);
    every.allocated_without += memory != nullptr;
  }
  if (memory == nullptr && bytes != 0) {
    std::string text(4096, '\0');
    vramkit.last_failure(text.data(), text.size());
    throw std::runtime_error(text.c_str());
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
  state before = live;
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
  figures[4] = every.allocated_without;
  for (front *each : every.all) {
    figures[0] -= each->get_held_bytes();
    figures[4] += each->get_allocated();
  }
}

}  // extern "C"
