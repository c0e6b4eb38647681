import { FUNCTIONS } from '../functions.ts';
import { refusedPart } from './kms-shares.ts';
import { FACTORS, LIMITS, ramps } from './limits.ts';
import { busiestPart } from './spread.ts';

type Rows = readonly (readonly string[])[];

/** Returns a row for each limit: how far it is away, and what comes after it. */
export function limitRows(): Rows {
  return LIMITS.map(({ what, needed, limit, unit, source, beyond }) => [
    what,
    `${number(needed)} ${unit}`,
    `${number(limit)} ${unit}`,
    `${(limit / needed).toLocaleString('en-US', { maximumFractionDigits: 1 })} ×`,
    source,
    beyond,
  ]);
}

/** Returns a row for each multiple of today's load: the limits that break, and how long traffic must grow. */
export function factorRows(): Rows {
  const minutes = new Map(ramps());
  return FACTORS.map((factor) => {
    const broken = LIMITS.filter(({ needed, limit }) => needed * factor > limit).map(({ what }) => what);
    return [`${number(factor)} ×`, broken.join('; ') || 'nothing', `${minutes.get(factor)} minutes`];
  });
}

/** Returns a row for each load of the KMS shares of `crypto`, in percent of all shares together. */
export function shareRows(): Rows {
  const instances = FUNCTIONS.crypto.instances[1];
  const perSecond = FUNCTIONS.crypto.kmsOperationsPerSecond ?? 0;
  return [70, 80, 90, 95, 100, 110, 150].map((percent) => {
    const load = (instances * perSecond * percent) / 100;
    const cells = [instances, 10 * instances].map((count) =>
      part(refusedPart({ instances: count, perSecond, patienceMs: 250 }, (load * count) / instances)),
    );
    return [`${percent}%`, ...cells];
  });
}

/** Returns a row for each number of parts: the traffic of the busiest part. */
export function spreadRows(): Rows {
  return [2, 4, 8, 16, 64].map((parts) => [
    String(parts),
    ...[100, 10_000, 1_000_000].map((tenants) => `${busiestPart(parts, tenants).toFixed(1)} ×`),
  ]);
}

function number(value: number): string {
  return value.toLocaleString('en-US');
}

function part(value: number): string {
  return value === 0 ? 'none' : `${(value * 100).toFixed(1)}%`;
}
