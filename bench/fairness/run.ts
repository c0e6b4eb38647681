/*
 * npm run drill -- fairness [--only NAME] [--seconds N]: measures the answers to one tenant before, during and after
 * each attack by other tenants, or by someone without an API key, within the rate limit. Each attack gets a new
 * service process and KMS. Prints a table, and writes it to bench/RESULTS.md if every attack ran. Exits with 1 if an
 * attack harmed the other tenant or the workload whose API key it attacks.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { startSeparateStack } from '../../emulators/stack/separate.ts';
import { pathOf } from '../servers.ts';
import { showOutcomes } from './attack.ts';
import { ATTACKS } from './attacks.ts';
import { type AttackResult, attackOnce, harmOf, report } from './report.ts';

const { values } = parseArgs({
  options: { only: { type: 'string', multiple: true }, seconds: { type: 'string', default: '5' } },
});
const seconds = Number(values.seconds);
const { only } = values;
const chosen = ATTACKS.filter(({ name }) => only?.includes(name) ?? true);
if (chosen.length < (only?.length ?? 1) || !(seconds > 0)) {
  throw new Error(
    `--only accepts ${ATTACKS.map(({ name }) => `"${name}"`).join(', ')}; --seconds accepts a number above 0`,
  );
}

const PAGE = pathOf('./RESULTS.md');
const BLOCK = /(<!-- npm run drill -- fairness -->\n)[\s\S]*?(<!-- end -->)/;

await using cleanup = new AsyncDisposableStack();
const stack = await startSeparateStack();
cleanup.defer(stack.stop);
const results: AttackResult[] = [];
for (const attack of chosen) {
  const result = await attackOnce(stack, attack, seconds);
  process.stdout.write(`${attack.name}: the attacker got ${showOutcomes(result.attacker)}\n`);
  if (result.victim.length > 0) process.stdout.write(`  its workload got ${showOutcomes(result.victim)}\n`);
  results.push(result);
}
const table = report(results);
process.stdout.write(`\n${table}`);
if (only === undefined) {
  const page = readFileSync(PAGE, 'utf8');
  writeFileSync(
    PAGE,
    page.replace(BLOCK, (_, begin, end) => `${begin}\n${table}\n${end}`),
  );
}

const harm = results.flatMap(harmOf);
for (const line of harm) process.stderr.write(`${line}\n`);
if (harm.length > 0) process.exitCode = 1;
