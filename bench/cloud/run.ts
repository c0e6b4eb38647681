import { type Load, measureOnce, measureWithRetries, sendLoad } from '../load.ts';
import type { Server } from '../servers.ts';
import { exceededLimits, type Figures, type Round, showRounds } from './report.ts';
import { type MeasuredTier, startCloudServers } from './servers.ts';

interface CloudOptions {
  /** The duration of each load, in seconds. */
  readonly seconds: number;
  readonly rounds: number;
  /** The loads: each is a number of connections, or a rate such as `100/s`. */
  readonly points: readonly string[];
  readonly tiers: readonly MeasuredTier[];
  /** Whether to stall some calls in every second round. Some limits compare rounds with and without stalls. */
  readonly stalls: boolean;
  /** Folders of other checkouts, whose services are also measured for comparison. */
  readonly otherCheckouts: readonly string[];
}

const body = JSON.stringify({ plaintext: Buffer.alloc(1_024, 7).toString('base64') });
const WARM_UP = { pace: { connections: 64 }, seconds: 6 };

/**
 * Measures the service and the baseline in turn, behind a proxy that adds the cloud's latencies. Prints the medians of
 * all rounds. Returns a line for each exceeded limit.
 */
export async function runCloud({
  seconds,
  rounds,
  points,
  tiers,
  stalls,
  otherCheckouts,
}: CloudOptions): Promise<string[]> {
  const cloud = await startCloudServers(otherCheckouts);
  try {
    const measured: Round[] = [];
    for (const tier of tiers) {
      const servers: Record<string, Server> = {
        direct: cloud.direct[tier],
        service: cloud.service,
        ...cloud.otherCheckouts,
      };
      const loadOf = ({ url }: Server) => ({ url: `${url}/v1/transit/encrypt/${tier}`, tokens: cloud.tokens, body });
      for (const server of Object.values(servers)) await sendLoad({ ...loadOf(server), ...WARM_UP });
      for (const point of points) {
        const [, count, isRate] = /^(\d+)(\/s)?$/.exec(point) ?? [];
        const pace = isRate ? { perSecond: Number(count) } : { connections: Number(count) };
        for (let round = 0; round < rounds; round++) {
          for (const stalled of stalls ? [false, true] : [false]) {
            await cloud.proxy.read({ stalls: stalled });
            for (const [name, server] of Object.entries(servers)) {
              const figures = await measureWithRetries(() => measure(server, { ...loadOf(server), pace, seconds }));
              measured.push({ tier, point, stalls: stalled, server: name, figures });
            }
          }
          process.stderr.write('.');
        }
        await cloud.proxy.read({ stalls: false });
      }
    }
    process.stdout.write(`\n${showRounds(measured)}`);
    return exceededLimits(measured);
  } finally {
    await cloud.stop();
  }

  async function measure(server: Server, load: Load): Promise<Figures> {
    const before = await cloud.proxy.read();
    const { p50, p95, p99, perSecond, cpuUsPerOp, count } = await measureOnce(server, load);
    const after = await cloud.proxy.read();
    const perOp = (kind: string) => ((after.trips[kind] ?? 0) - (before.trips[kind] ?? 0)) / count;
    const trips = { read: perOp('documents'), written: perOp('writes'), calls: perOp('calls') };
    return { p50, p95, p99, rate: perSecond, cpu: cpuUsPerOp, ...trips };
  }
}
