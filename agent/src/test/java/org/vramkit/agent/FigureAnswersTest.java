package org.vramkit.agent;

import static org.bytedeco.cuda.global.cudart.*;
import static org.vramkit.agent.Answer.*;

import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.bytedeco.cuda.cudart.cudaDeviceProp;
import org.bytedeco.javacpp.BytePointer;
import org.bytedeco.javacpp.SizeTPointer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@SimulatedCuda
@DisplayName("An H200 in numbers:")
class FigureAnswersTest {
  private static final String PROPERTIES =
      "luidDeviceNodeMask=0 totalGlobalMem=150109880320 sharedMemPerBlock=49152 "
          + "regsPerBlock=65536 warpSize=32 memPitch=2147483647 maxThreadsPerBlock=1024 "
          + "maxThreadsDim[0]=1024 maxThreadsDim[1]=1024 maxThreadsDim[2]=64 "
          + "maxGridSize[0]=2147483647 maxGridSize[1]=65535 maxGridSize[2]=65535 "
          + "totalConstMem=65536 major=9 minor=0 textureAlignment=512 "
          + "texturePitchAlignment=32 multiProcessorCount=132 integrated=0 "
          + "canMapHostMemory=1 maxTexture1D=131072 maxTexture1DMipmap=32768 "
          + "maxTexture2D[0]=131072 maxTexture2D[1]=65536 maxTexture2DLinear[0]=131072 "
          + "maxTexture2DLinear[1]=65000 maxTexture2DLinear[2]=2097120 maxTexture3D[0]=16384 "
          + "maxTextureCubemap=32768 maxSurface1D=32768 surfaceAlignment=512 "
          + "concurrentKernels=1 ECCEnabled=1 tccDriver=0 asyncEngineCount=3 "
          + "unifiedAddressing=1 l2CacheSize=62914560 "
          + "persistingL2CacheMaxSize=39321600 maxThreadsPerMultiProcessor=2048 "
          + "streamPrioritiesSupported=1 globalL1CacheSupported=1 localL1CacheSupported=1 "
          + "sharedMemPerMultiprocessor=233472 regsPerMultiprocessor=65536 managedMemory=1 "
          + "isMultiGpuBoard=0 multiGpuBoardGroupID=0 hostNativeAtomicSupported=0 "
          + "pageableMemoryAccess=0 concurrentManagedAccess=1 computePreemptionSupported=1 "
          + "canUseHostPointerForRegisteredMem=1 cooperativeLaunch=1 "
          + "sharedMemPerBlockOptin=232448 pageableMemoryAccessUsesHostPageTables=0 "
          + "directManagedMemAccessFromHost=0 maxBlocksPerMultiProcessor=32 "
          + "accessPolicyMaxWindowSize=134217728 reservedSharedMemPerBlock=1024 "
          + "hostRegisterSupported=1 sparseCudaArraySupported=1 "
          + "hostRegisterReadOnlySupported=1 timelineSemaphoreInteropSupported=1 "
          + "memoryPoolsSupported=1 gpuDirectRDMASupported=1 "
          + "gpuDirectRDMAFlushWritesOptions=1 gpuDirectRDMAWritesOrdering=100 "
          + "memoryPoolSupportedHandleTypes=9 deferredMappingCudaArraySupported=1 "
          + "ipcEventSupported=1 clusterLaunch=1 unifiedFunctionPointers=1 "
          + "deviceNumaConfig=0 deviceNumaId=-1 mpsEnabled=0 hostNumaId=0 "
          + "gpuPciDeviceID=590680286 gpuPciSubsystemID=415174878 "
          + "hostNumaMultinodeIpcSupported=0";

  private static final String ATTRIBUTES =
      "1=1024 2=1024 3=1024 4=64 5=2147483647 6=65535 7=65535 8=49152 9=65536 10=32 "
          + "11=2147483647 12=65536 13=1980000 14=512 15=1 16=132 17=0 18=0 19=1 20=0 "
          + "21=131072 22=131072 23=65536 24=16384 25=16384 26=16384 27=32768 28=32768 "
          + "29=2048 30=512 31=1 32=1 33=0 34=6 35=0 36=3201000 38=62914560 39=2048 "
          + "40=3 41=1 42=32768 43=2048 44=1 45=32768 46=32768 47=8192 48=8192 49=32768 50=0 "
          + "51=32 52=32768 53=32768 54=2046 55=32768 56=131072 57=65536 58=16384 59=16384 "
          + "60=16384 61=32768 62=2048 63=32768 64=32768 65=2048 66=32768 67=32768 68=2046 "
          + "69=268435456 70=131072 71=65000 72=2097120 73=32768 74=32768 75=9 76=0 77=32768 "
          + "78=1 79=1 80=1 81=233472 82=65536 83=1 84=0 85=0 86=0 87=2 88=0 89=1 90=1 91=1 "
          + "92=0 93=0 94=0 95=1 96=1 97=232448 98=0 99=1 100=0 101=0 102=1 103=1 104=0 "
          + "105=0 106=32 107=1 108=39321600 109=134217728 110=1 111=1024 112=1 113=1 114=1 "
          + "115=1 116=1 117=1 118=100 119=9 120=1 121=1 122=1 123=1 124=1 125=1 126=4 127=1 "
          + "128=1 129=1 130=0 131=-1 132=0 133=0 134=0 135=0 136=0 137=0 138=0 "
          + "139=590680286 140=415174878 141=1 142=1 143=0 144=1 145=1 146=0 147=0";

  @ParameterizedTest(name = "{0}")
  @MethodSource("figures")
  void answers(Answer answer) throws Exception {
    answer.check();
  }

  static Stream<Answer> figures() {
    int[] n = new int[1];
    return Stream.of(
        of("properties", PROPERTIES, () -> DevicePrograms.properties(PROPERTIES)),
        of(
            "attributes",
            ATTRIBUTES,
            () ->
                Stream.of(ATTRIBUTES.split(" ", -1))
                    .map(each -> Integer.parseInt(each.substring(0, each.indexOf('='))))
                    .map(number -> cudaDeviceGetAttribute(n, number, 0) + "," + number + "=" + n[0])
                    .map(each -> each.replaceFirst("^0,", ""))
                    .collect(Collectors.joining(" "))),
        of(
            "attributes in which both interfaces differ",
            "",
            () -> {
              cuInit(0);
              StringBuilder different = new StringBuilder();
              for (int number = 1; number <= 160; number++) {
                String runtime = cudaDeviceGetAttribute(n, number, 0) + " " + n[0];
                if (!runtime.equals(cuDeviceGetAttribute(n, number, 0) + " " + n[0])) {
                  different.append(number);
                }
              }
              return different;
            }),
        of(
            "bytes of the properties; name; bytes behind it",
            "1008; NVIDIA H200; 0",
            () -> {
              cudaDeviceProp properties = new cudaDeviceProp();
              BytePointer name = properties.name();
              for (int i = 0; i < 256; i++) {
                name.put(i, (byte) 7);
              }
              cudaGetDeviceProperties(properties, 0);
              int behind = 0;
              for (int i = 11; i < 256; i++) {
                behind |= name.get(i);
              }
              return say(properties.sizeof(), name.getString(), behind);
            }),
        of(
            "free and total memory of both interfaces are equal",
            "true; true",
            () -> {
              SizeTPointer free = new SizeTPointer(1);
              SizeTPointer total = new SizeTPointer(1);
              cudaMemGetInfo(free, total);
              SizeTPointer ofDriver = new SizeTPointer(1);
              SizeTPointer totalOfDriver = new SizeTPointer(1);
              cuMemGetInfo(ofDriver, totalOfDriver);
              return say(
                  free.get() == ofDriver.get(),
                  total.get() == totalOfDriver.get() && total.get() == 150_109_880_320L);
            }),
        of(
            "properties of device 1; an attribute of it; of device -1",
            "InvalidDevice; InvalidDevice; InvalidDevice",
            () ->
                names(
                    cudaGetDeviceProperties(new cudaDeviceProp(), 1),
                    cudaDeviceGetAttribute(n, 10, 1),
                    cudaDeviceGetAttribute(n, 10, -1))),
        of(
            "the driver: place on the bus in 5 bytes; of \"x\"",
            "InvalidValue; InvalidValue",
            () -> {
              cuInit(0);
              return names(cuDeviceGetPCIBusId(new byte[5], 5, 0), cuDeviceGetByPCIBusId(n, "x"));
            }),
        of(
            "name in 90 bytes: bytes behind it",
            "0",
            () -> {
              cuInit(0);
              byte[] name = new byte[90];
              java.util.Arrays.fill(name, (byte) 7);
              cuDeviceGetName(name, 90, 0);
              int behind = 0;
              for (int i = 11; i < 90; i++) {
                behind |= name[i];
              }
              return behind;
            }));
  }
}
