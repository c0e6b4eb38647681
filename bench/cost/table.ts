import { markdownTable } from '../table.ts';
import { type Consumption, chargeMillion } from './charge.ts';
import type { Prices } from './prices.ts';

/** An operation on a key of a tier, so many side by side. */
export interface CostRow extends Consumption {
  readonly operation: string;
  readonly tier: string;
  readonly sideBySide: number;
}

const HEAD = [
  'operation',
  'tier',
  'side by side',
  'read',
  'written',
  'KMS calls',
  'bytes logged',
  'Firestore',
  'KMS',
  'logs',
  'requests',
  'sum',
];

/** The rows as a table in Markdown: what an operation takes, and what a million cost in US dollars. */
export function showCosts(rows: readonly CostRow[], prices: Prices): string {
  return markdownTable(
    HEAD,
    rows.map((row) => {
      const { firestore, kms, logs, requests, sum } = chargeMillion(row, prices);
      const taken = [row.reads, row.writes, row.kmsCalls, row.loggedBytes].map(String);
      const dollars = [firestore, kms, logs, requests, sum].map((cost) => `$${cost.toFixed(2)}`);
      return [`\`${row.operation}\``, `\`${row.tier}\``, String(row.sideBySide), ...taken, ...dollars];
    }),
  );
}
