import { z } from 'zod';
import type { Row } from './table.ts';

/** What each round trip costs bare, in milliseconds. */
export const bareTrips = z.object({ read: z.number(), decision: z.number(), kms: z.number(), commit: z.number() });
export type BareTrips = z.output<typeof bareTrips>;

/** What one caller alone waits for the operations at the smallest size, beside the trips that it waits for one after another. */
export function showLoneCallers(rows: readonly Row[], bare: BareTrips): string {
  const trips = Object.entries(bare).map(([kind, ms]) => `${kind} ${ms.toFixed(2)}`);
  const smallest = Math.min(...rows.map(({ bytes }) => bytes));
  const lines = rows
    .filter(({ connections, bytes }) => connections === 1 && bytes === smallest)
    .map(({ operation, tier, measured }) => {
      const callsOfKms = tier === 'wrapped' ? 0 : operation === 'rewrap' ? 2 : 1;
      const sum = bare.read + bare.decision + callsOfKms * bare.kms + bare.commit;
      const above = measured.p50 - sum;
      const figures = `p50 ${measured.p50.toFixed(2)}  trips ${sum.toFixed(2)}  above ${above.toFixed(2)}`;
      return `${operation.padEnd(10)}${tier.padEnd(10)}${figures}\n`;
    });
  return `one caller alone, in milliseconds (bare trips: ${trips.join(', ')})\n${lines.join('')}`;
}
