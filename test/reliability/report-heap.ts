/*
 * Loaded before the service, which needs the flag `--expose-gc`. On SIGUSR2, collects garbage, and reports to the parent
 * process how many bytes are still in use on the heap. The second collection frees what the first one has finalized.
 */
process.on('SIGUSR2', () => {
  globalThis.gc?.();
  globalThis.gc?.();
  process.send?.({ reachable_bytes: process.memoryUsage().heapUsed });
});
