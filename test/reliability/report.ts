import type { CallResult, Outage } from './fault-run.ts';
import type { Part } from './proxied-service.ts';

const NAMES: Readonly<Record<Part, string>> = {
  kms: 'KMS',
  firestore: 'Firestore',
  pdp: 'decision point',
  idp: 'identity provider',
  stripe: 'Stripe',
};

/** Returns the results as the table in README.md beside it. */
export function report(outages: readonly Outage[]): string {
  return table(
    [
      'dependency',
      'fault',
      'calls that succeeded',
      'calls that failed',
      'slowest answer',
      'recovered after',
      'most memory',
      'flaws',
    ],
    outages.map(({ part, kind, results, peakMemory }) => {
      const refused = Map.groupBy(results.filter(isRefused), ({ outcome }) => outcome);
      const refusals = [...refused].map(([outcome, some]) => `${some.length} × \`${outcome}\``).join(', ');
      const well = results.filter((one) => !isRefused(one)).length;
      const flaws = results.filter((one) => one.flaws.length > 0).length;
      const slowest = seconds(results.map(({ tookMs }) => tookMs));
      const recovered = seconds(results.map(({ recoveredMs }) => recoveredMs));
      const memory = `${Math.round(peakMemory / 2 ** 20)} MiB`;
      return [NAMES[part], kind, String(well), refusals || 'none', slowest, recovered, memory, String(flaws)];
    }),
  );
}

function isRefused({ testCase, outcome }: CallResult): boolean {
  return outcome !== testCase.good;
}

function seconds(times: readonly number[]): string {
  return `${(Math.max(...times) / 1000).toFixed(1)} s`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |\n`;
  return [head, head.map(() => '---'), ...rows].map(line).join('');
}
