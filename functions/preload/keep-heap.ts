/*
 * After eight seconds in which little was allocated, V8 shrinks the heap to what is in use and drops compiled code. What
 * comes next then pays for many collections of a small heap, and for compiling again: twice the processor time. An
 * instance has its memory all the same. So pauses change nothing here, and V8 collects all of the heap when it has grown
 * to four times what was in use; its limit (--max-old-space-size) is as it was.
 */
import { setFlagsFromString } from 'node:v8';

export const V8_FLAGS = ['--memory-reducer-gc-count=0', '--heap-growing-percent=300'];

/** By then a process has loaded what it has: V8 refuses cached code that was made under other flags. */
const LOADED_AFTER_MS = 5_000;

setTimeout(() => {
  for (const flag of V8_FLAGS) setFlagsFromString(flag);
}, LOADED_AFTER_MS).unref();
