import { randomFrom } from './random.ts';

/** Instances that share Google's quota in equal parts. */
export interface Shares {
  readonly instances: number;
  /** The calls per second of one instance. It may make the calls of one second at once. */
  readonly perSecond: number;
  /** How long a call waits for its turn, before the instance refuses it. */
  readonly patienceMs: number;
}

/**
 * Simulates calls that arrive at random times at random instances. Returns the part of the calls that is refused.
 * Arithmetic is not enough here: the instances' shares add up to the load, but one instance gets more than its share
 * while another has some left.
 */
export function refusedPart(
  { instances, perSecond, patienceMs }: Shares,
  loadPerSecond: number,
  seconds = 120,
): number {
  const random = randomFrom(1);
  /** For each instance, the time in seconds at which its bucket would be full again. */
  const fullAt = Array.from({ length: instances }, () => 0);
  let [now, calls, refused] = [0, 0, 0];
  while (now < seconds) {
    now += -Math.log(1 - random()) / loadPerSecond;
    const at = Math.floor(random() * instances);
    // A call takes a part of the bucket. If the bucket is empty, the call waits until there is enough in it.
    const taken = Math.max(fullAt[at] ?? 0, now) + 1 / perSecond;
    const waitMs = Math.max(0, taken - now - 1) * 1_000;
    calls++;
    if (waitMs > patienceMs) refused++;
    else fullAt[at] = taken;
  }
  return refused / calls;
}
