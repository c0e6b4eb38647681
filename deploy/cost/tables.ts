import { join } from 'node:path';
import { readDeployment } from '../deployment.ts';
import { type CostLine, countedOperations, idleCost, operationCost, sum, tenantCost } from './cost.ts';

const EXAMPLE = readDeployment(join(import.meta.dirname, '../deployment.example.json'));
const MILLION = 1_000_000;

type Rows = readonly (readonly string[])[];

/** Returns the rows of the table of an idle deployment. */
export function idleRows(): Rows {
  return withTotal(idleCost({ ...EXAMPLE, apiOrigin: 'https://api.example.com' }));
}

/** Returns a row for each counted operation: what a million cost, and the largest line. */
export function operationRows(): Rows {
  // Google charges the same for calls with HSM keys.
  const hsm = countedOperations().flatMap((one) => (one.tier === 'software' ? { ...one, tier: 'hsm' } : []));
  return [...countedOperations(), ...hsm].map((counts) => {
    const lines = operationCost(counts, MILLION);
    const [largest] = lines;
    return [
      `\`${counts.operation}\``,
      `\`${counts.tier}\``,
      String(counts.inFlight),
      dollars(sum(lines.map((line) => line.dollars))),
      `${largest?.what}, ${dollars(largest?.dollars ?? 0)}`,
      largest?.lower ?? '',
    ];
  });
}

/** Returns the rows of the table of this many tenants. */
export function tenantRows(tenants: number): Rows {
  return withTotal(tenantCost(EXAMPLE, tenants));
}

function withTotal(lines: readonly CostLine[]): Rows {
  const rows = lines.map(({ what, count, dollars: amount, lower }) => [what, number(count), dollars(amount), lower]);
  return [...rows, ['**sum**', '', `**${dollars(sum(lines.map((line) => line.dollars)))}**`, '']];
}

function dollars(amount: number): string {
  return `$${amount.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`;
}

function number(count: number): string {
  return count.toLocaleString('en-US', { maximumFractionDigits: 1 });
}
