/*
 * npm run bench:overload [-- --seconds N]: what is left of the service's throughput under three times what it can carry,
 * and what other tenants notice while one API key is flooded with wrong secrets.
 */
import { execFile } from 'node:child_process';
import { parseArgs, promisify } from 'node:util';
import { z } from 'zod';
import { startSeparateStack } from '../../emulators/stack/separate.ts';
import { pathOf } from '../child.ts';
import { environment, startService } from '../servers.ts';
import { makeCallers } from './callers.ts';

const { values } = parseArgs({ options: { seconds: { type: 'string', default: '8' } } });
const seconds = Number(values.seconds);
const SATURATING = 64;
const OVERLOAD = 3;
/** A light load of the tenants that are not flooded, and the flood, in requests a second. */
const LIGHT = 20;
const FLOOD = 500;

const loaded = z.object({
  answers: z.array(z.object({ status: z.int(), perSecond: z.number(), p50: z.number(), p99: z.number() })),
  unanswered: z.int(),
});

await using cleanup = new AsyncDisposableStack();
const stack = await startSeparateStack();
cleanup.defer(stack.stop);
const base = Number(new URL(stack.baseUrl).port);
const callers = await makeCallers(stack);

{
  const service = await startService(environment(base), base + 10);
  const all = { url: `${service.url}${callers.path}`, tokens: callers.tokens, body: callers.body };
  await offer({ ...all, connections: SATURATING, seconds: 4 });
  const peak = succeeded(await offer({ ...all, connections: SATURATING, seconds }));
  print('saturated', peak);
  const overload = await offer({ ...all, perSecond: Math.ceil(OVERLOAD * peak.perSecond), seconds });
  print(`offered ${OVERLOAD} times that`, succeeded(overload));
  for (const refusal of overload.answers.filter(({ status }) => status !== 200)) print('  the rest', refusal);
  process.stdout.write(`  unanswered ${overload.unanswered}\n`);
  const goodput = succeeded(overload).perSecond / peak.perSecond;
  process.stdout.write(`goodput ${(100 * goodput).toFixed(0)} % of the peak\n\n`);
  await service.stop();
}
{
  const service = await startService({ ...environment(base), RATE_LIMIT: '' }, base + 10);
  const light = { url: `${service.url}${callers.path}`, tokens: callers.tokens, body: callers.body, perSecond: LIGHT };
  await offer({ ...light, seconds: 4, connections: 4 });
  const alone = succeeded(await offer({ ...light, seconds, connections: 4 }));
  print('other tenants, alone', alone);
  const flood = offer({ ...light, tokens: callers.wrongTokens, perSecond: FLOOD, seconds: seconds + 2 });
  const beside = succeeded(await offer({ ...light, seconds, connections: 4 }));
  print('other tenants, beside a flood', beside);
  for (const answer of (await flood).answers) print('  the flood', answer);
  process.stdout.write(`p99 ${(beside.p99 / alone.p99).toFixed(2)} times\n`);
  await service.stop();
}

async function offer(asked: Readonly<Record<string, unknown>>) {
  const run = promisify(execFile);
  const { stdout } = await run(process.execPath, [pathOf('overload/load.ts'), JSON.stringify(asked)]);
  return loaded.parse(JSON.parse(stdout));
}

function succeeded({ answers }: z.output<typeof loaded>) {
  return answers.find(({ status }) => status === 200) ?? { status: 200, perSecond: 0, p50: 0, p99: 0 };
}

function print(what: string, { status, perSecond, p50, p99 }: z.output<typeof loaded>['answers'][number]): void {
  const figures = `${perSecond.toFixed(0).padStart(6)}/s of ${status}  p50 ${p50.toFixed(1)} ms  p99 ${p99.toFixed(1)} ms`;
  process.stdout.write(`${what.padEnd(32)}${figures}\n`);
}
