/*
 * After eight seconds without requests, V8 shrinks the heap and drops compiled code. The next requests then need twice
 * the CPU time. The memory of an instance costs the same in any case. With these flags, V8 does nothing when idle, and
 * collects the whole heap when it reaches four times the size of the live objects, within --max-old-space-size.
 */
import { setFlagsFromString } from 'node:v8';

export const V8_FLAGS = ['--memory-reducer-gc-count=0', '--heap-growing-percent=300'];

/**
 * All code is loaded this many milliseconds after the start. The flags are set then, because V8 rejects cached code
 * after a change of flags.
 */
const LOADED_AFTER_MS = 5_000;

setTimeout(() => {
  for (const flag of V8_FLAGS) setFlagsFromString(flag);
}, LOADED_AFTER_MS).unref();
