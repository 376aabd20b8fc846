// A CUDA graph with one While node, made and launched 200 times, to see whether compute-sanitizer follows such graphs.
//
//     nvcc -arch=native -o conditional_graph bench/conditional_graph.cu
//     compute-sanitizer --tool memcheck ./conditional_graph
//
// No code of pyrograph runs here. The program is correct: it ends with "0 wrong" without a tool, and a tool that follows
// the graph reports nothing. Each round allocates, fills and frees its own arrays, as the library does.

#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_runtime.h>

static void check(cudaError_t status, const char* what) {
    if (status != cudaSuccess) {
        std::printf("%s: %s\n", what, cudaGetErrorString(status));
        std::exit(1);
    }
}
#define CHECK(call) check((call), #call)

constexpr int THREADS = 256, ROUNDS = 200, TURNS = 5;

__global__ void start(int* left) {
    if (threadIdx.x == 0) *left = TURNS;
}

__global__ void turn(int* left, int* data, cudaGraphConditionalHandle handle) {
    __shared__ int sum;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    atomicAdd(&sum, 1);
    __syncthreads();
    data[threadIdx.x] += sum;
    if (threadIdx.x == 0) cudaGraphSetConditional(handle, --*left > 0);
}

static cudaGraphNode_t add(cudaGraph_t graph, void* kernel, void** arguments, const cudaGraphNode_t* after) {
    cudaGraphNodeParams node = {};
    node.type = cudaGraphNodeTypeKernel;
    node.kernel.func = kernel;
    node.kernel.gridDim = dim3(1);
    node.kernel.blockDim = dim3(THREADS);
    node.kernel.kernelParams = arguments;
    cudaGraphNode_t made;
    CHECK(cudaGraphAddNode(&made, graph, after, nullptr, after ? 1 : 0, &node));
    return made;
}

int main() {
    int wrong = 0;
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    for (int round = 0; round < ROUNDS; ++round) {
        int *left, *data, *other;
        CHECK(cudaMalloc(&left, sizeof(int)));
        CHECK(cudaMalloc(&data, THREADS * sizeof(int)));
        CHECK(cudaMalloc(&other, 512 * (round + 1)));
        CHECK(cudaMemset(data, 0, THREADS * sizeof(int)));
        cudaGraph_t graph;
        CHECK(cudaGraphCreate(&graph, 0));
        cudaGraphConditionalHandle handle;
        CHECK(cudaGraphConditionalHandleCreate(&handle, graph, 1, cudaGraphCondAssignDefault));
        void* first[] = {&left};
        cudaGraphNode_t before = add(graph, (void*)start, first, nullptr);
        cudaGraphNodeParams loop = {};
        loop.type = cudaGraphNodeTypeConditional;
        loop.conditional.handle = handle;
        loop.conditional.type = cudaGraphCondTypeWhile;
        loop.conditional.size = 1;
        cudaGraphNode_t made;
        CHECK(cudaGraphAddNode(&made, graph, &before, nullptr, 1, &loop));
        void* second[] = {&left, &data, &handle};
        add(loop.conditional.phGraph_out[0], (void*)turn, second, nullptr);
        cudaGraphExec_t ready;
        CHECK(cudaGraphInstantiate(&ready, graph, 0));
        CHECK(cudaGraphUpload(ready, stream));
        CHECK(cudaGraphLaunch(ready, stream));
        CHECK(cudaStreamSynchronize(stream));
        std::vector<int> found(THREADS);
        CHECK(cudaMemcpy(found.data(), data, THREADS * sizeof(int), cudaMemcpyDeviceToHost));
        for (int value : found) wrong += value != TURNS * THREADS;
        CHECK(cudaGraphExecDestroy(ready));
        CHECK(cudaGraphDestroy(graph));
        CHECK(cudaFree(left));
        CHECK(cudaFree(data));
        CHECK(cudaFree(other));
    }
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
