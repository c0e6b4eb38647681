import type { Crossing, Phase } from './upgrade-run.ts';

/** Returns the results as a table in Markdown. */
export function reportCrossing({ phases }: Crossing, versions: readonly string[]): string {
  const head = ['traffic', ...versions.map((name) => `answered by ${name}`), 'failed', 'p50', 'p95'];
  const rows = phases.map(({ name, ended }) => [
    name,
    ...versions.map((version) => String(ended.filter(({ answeredBy }) => answeredBy === version).length)),
    String(ended.filter(({ isRight }) => !isRight).length),
    percentile(ended, 0.5),
    percentile(ended, 0.95),
  ]);
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |\n`;
  return [head, head.map(() => '---'), ...rows].map(line).join('');
}

function percentile(ended: Phase['ended'], share: number): string {
  const times = ended.map(({ tookMs }) => tookMs).sort((one, other) => one - other);
  return `${Math.round(times[Math.floor(times.length * share)] ?? 0)} ms`;
}
