/*
 * After eight quiet seconds, V8 shrinks the heap and drops compiled code. The next requests then need twice the CPU
 * time. An instance pays for its memory anyway. With these flags, V8 does nothing when idle and collects the whole heap
 * once it is four times its live size. The limit (--max-old-space-size) stays.
 */
import { setFlagsFromString } from 'node:v8';

export const V8_FLAGS = ['--memory-reducer-gc-count=0', '--heap-growing-percent=300'];

/** By then a process has loaded its code. V8 would reject cached code after a change of flags. */
const LOADED_AFTER_MS = 5_000;

setTimeout(() => {
  for (const flag of V8_FLAGS) setFlagsFromString(flag);
}, LOADED_AFTER_MS).unref();
