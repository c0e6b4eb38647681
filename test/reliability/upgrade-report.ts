import type { Phase, UpgradeResult } from './upgrade-run.ts';

/** Returns the results as a table in Markdown. */
export function reportUpgrade({ phases }: UpgradeResult, versions: readonly string[]): string {
  const head = ['traffic', ...versions.map((name) => `answered by ${name}`), 'failed', 'p50', 'p95'];
  const rows = phases.map(({ name, results }) => [
    name,
    ...versions.map((version) => String(results.filter(({ answeredBy }) => answeredBy === version).length)),
    String(results.filter(({ isExpected }) => !isExpected).length),
    percentile(results, 0.5),
    percentile(results, 0.95),
  ]);
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |\n`;
  return [head, head.map(() => '---'), ...rows].map(line).join('');
}

function percentile(results: Phase['results'], share: number): string {
  const times = results.map(({ tookMs }) => tookMs).sort((one, other) => one - other);
  return `${Math.round(times[Math.floor(times.length * share)] ?? 0)} ms`;
}
