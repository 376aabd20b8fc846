// A CUDA graph with a loop in a loop, made and launched 200 times, to see whether compute-sanitizer follows such graphs.
//
//     nvcc -arch=native -o conditional_graph bench/conditional_graph.cu
//     compute-sanitizer --tool memcheck ./conditional_graph
//
// No code of pyrograph runs here. The program is correct: it ends with "0 wrong" without a tool, and a tool that follows
// the graph reports nothing. Each round has arrays of its own; old
// ones are freed together from time to time, as Numba does it.

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

__global__ void again(cudaGraphConditionalHandle handle) {
    if (threadIdx.x == 0) cudaGraphSetConditional(handle, 1);
}

__global__ void next(int* left, cudaGraphConditionalHandle handle) {
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

static cudaGraphNode_t loop(cudaGraph_t graph, cudaGraphConditionalHandle handle, const cudaGraphNode_t* after,
                            cudaGraph_t* body) {
    cudaGraphNodeParams node = {};
    node.type = cudaGraphNodeTypeConditional;
    node.conditional.handle = handle;
    node.conditional.type = cudaGraphCondTypeWhile;
    node.conditional.size = 1;
    cudaGraphNode_t made;
    CHECK(cudaGraphAddNode(&made, graph, after, nullptr, after ? 1 : 0, &node));
    *body = node.conditional.phGraph_out[0];
    return made;
}

static cudaGraphConditionalHandle condition(cudaGraph_t graph) {
    cudaGraphConditionalHandle handle;
    CHECK(cudaGraphConditionalHandleCreate(&handle, graph, 1, cudaGraphCondAssignDefault));
    return handle;
}

int main() {
    int wrong = 0;
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    std::vector<int*> old;
    for (int round = 0; round < ROUNDS; ++round) {
        if (old.size() > 30) {
            for (int* array : old) CHECK(cudaFree(array));
            old.clear();
        }
        int *outer, *inner, *data, *other;
        CHECK(cudaMalloc(&other, 512 * (round + 1)));
        CHECK(cudaMalloc(&data, THREADS * sizeof(int)));
        CHECK(cudaMemset(data, 0, THREADS * sizeof(int)));
        CHECK(cudaMalloc(&outer, sizeof(int)));
        CHECK(cudaMalloc(&inner, sizeof(int)));
        old.insert(old.end(), {outer, inner, data, other});
        cudaGraph_t graph;
        CHECK(cudaGraphCreate(&graph, 0));
        // start(outer); while (--outer > 0) { start(inner); while (--inner > 0) turn }
        void* first[] = {&outer};
        cudaGraphNode_t before = add(graph, (void*)start, first, nullptr);
        cudaGraphConditionalHandle around = condition(graph);
        cudaGraph_t body, core;
        loop(graph, around, &before, &body);
        cudaGraphConditionalHandle within = condition(body);
        void* second[] = {&inner};
        cudaGraphNode_t begin = add(body, (void*)start, second, nullptr);
        void* third[] = {&within};
        cudaGraphNode_t set = add(body, (void*)again, third, &begin);
        cudaGraphNode_t after_loop = loop(body, within, &set, &core);
        void* fourth[] = {&inner, &data, &within};
        add(core, (void*)turn, fourth, nullptr);
        void* fifth[] = {&outer, &around};
        add(body, (void*)next, fifth, &after_loop);
        cudaGraphExec_t ready;
        CHECK(cudaGraphInstantiate(&ready, graph, 0));
        CHECK(cudaGraphUpload(ready, stream));
        CHECK(cudaGraphLaunch(ready, stream));
        CHECK(cudaStreamSynchronize(stream));
        std::vector<int> found(THREADS);
        CHECK(cudaMemcpy(found.data(), data, THREADS * sizeof(int), cudaMemcpyDeviceToHost));
        for (int value : found) wrong += value != TURNS * TURNS * THREADS;
        CHECK(cudaGraphExecDestroy(ready));
        CHECK(cudaGraphDestroy(graph));
    }
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
