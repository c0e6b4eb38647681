import { z } from 'zod';
import { makeGauge } from '../../shared/base/gauge.ts';
import type { MovableClock } from './movable-clock.ts';
import { countRoundTrips } from './round-trips.ts';

const command = z.union([
  z.object({ id: z.number(), clock_offset_us: z.int() }),
  z.object({ id: z.number(), forget_readiness: z.literal(true) }),
  z.object({ id: z.number(), rate_limit_ms: z.number().nullable() }),
  z.object({ id: z.number(), run: z.string() }),
  z.object({ id: z.number(), measure: z.literal(true) }),
]);
type Command = z.output<typeof command>;

/** What the local stack controls in a running service. */
interface Controlled {
  readonly clock: MovableClock;
  /** Makes the next readiness request check the dependencies again. */
  readonly forgetReadiness: () => void;
  /**
   * Applies the rate limit with a clock that stands at this number of milliseconds. At first, every bucket is full.
   * `null` returns to the usual rate limit.
   */
  readonly holdRateLimit: (ms: number | null) => void;
  /** The scheduled functions, by name. */
  readonly jobs: Readonly<Record<string, () => Promise<unknown>>>;
}

/**
 * Lets the local stack control this process over its IPC channel: move the clock, forget the last readiness result,
 * hold the rate limit, run scheduled functions, and read measurements. Does nothing if the stack is not the parent
 * process.
 */
export function acceptStackCommands({ clock, forgetReadiness, holdRateLimit, jobs }: Controlled): void {
  const measure = makeGauge();
  let trips: ReturnType<typeof countRoundTrips> | undefined;
  const execute = async (received: Command): Promise<unknown> => {
    if ('run' in received)
      return jobs[received.run]?.() ?? Promise.reject(new Error(`there is no job ${received.run}`));
    // Counting begins with the first measurement, because it costs every request time.
    if ('measure' in received) {
      trips ??= countRoundTrips();
      return { ...measure(), trips };
    }
    if ('clock_offset_us' in received) clock.move(received.clock_offset_us);
    else if ('rate_limit_ms' in received) holdRateLimit(received.rate_limit_ms);
    else forgetReadiness();
    return {};
  };
  process.on('message', async (message) => {
    const { id } = Object(message);
    try {
      process.send?.({ id, ok: await execute(command.parse(message)) });
    } catch (error) {
      process.send?.({ id, error: error instanceof Error ? error.message : 'failed' });
    }
  });
  process.on('disconnect', () => process.exit(0));
  // If the stack ended before the listener was added, there will be no `disconnect` event.
  if (process.connected === false) process.exit(0);
}
