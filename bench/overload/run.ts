/*
 * npm run bench:overload [-- --seconds N]: the throughput that is left when three times the peak is offered, and the
 * latency of other API keys while one is flooded with wrong secrets.
 */
import { parseArgs } from 'node:util';
import { startSeparateStack } from '../../emulators/stack/separate.ts';
import { type Answers, type Load, type LoadResult, sendLoad } from '../send-load.ts';
import { environment, sparePort, startService } from '../servers.ts';
import { alignColumns } from '../table.ts';
import { makeCallers } from './callers.ts';

const { values } = parseArgs({ options: { seconds: { type: 'string', default: '8' } } });
const seconds = Number(values.seconds);
/** Connections of the closed loop that finds the peak, and of the open loops. */
const SATURATING = 64;
const MANY = 4_000;
const OVERLOAD = 3;
/** The load of the API keys that are not flooded, and the flood, in requests a second. */
const LIGHT = 20;
const FLOOD = 500;
const WARM_UP_SECONDS = 4;

await using cleanup = new AsyncDisposableStack();
const stack = await startSeparateStack();
cleanup.defer(stack.stop);
const { path, body, tokens, wrongTokens } = await makeCallers(stack);
const port = sparePort(stack, 0);
const lines = [['', 'a second', 'status', 'p50, ms', 'p99, ms']];
const ratios: string[] = [];

{
  const service = await startService(environment(stack), port);
  const url = `${service.url}${path}`;
  const load: Load = { url, connections: SATURATING, seconds, tokens, body };
  await sendLoad({ ...load, seconds: WARM_UP_SECONDS });
  const peak = succeeded(await sendLoad(load));
  report('saturated', peak);
  const perSecond = Math.ceil(OVERLOAD * peak.perSecond);
  const overloaded = await sendLoad({ ...load, connections: MANY, perSecond });
  report(`offered ${OVERLOAD} times that`, succeeded(overloaded));
  for (const refusal of overloaded.answers.filter(({ status }) => status !== 200)) report('  the rest', refusal);
  const goodput = succeeded(overloaded).perSecond / peak.perSecond;
  ratios.push(`goodput ${(100 * goodput).toFixed(0)} % of the peak; ${overloaded.unanswered} unanswered\n`);
  await service.stop();
}
{
  const service = await startService({ ...environment(stack), RATE_LIMIT: '' }, port);
  const url = `${service.url}${path}`;
  const light: Load = { url, connections: 4, perSecond: LIGHT, seconds, tokens, body };
  await sendLoad({ ...light, seconds: WARM_UP_SECONDS });
  const alone = succeeded(await sendLoad(light));
  report('other API keys, alone', alone);
  const flood = sendLoad({ ...light, tokens: wrongTokens, connections: MANY, perSecond: FLOOD, seconds: seconds + 2 });
  const beside = succeeded(await sendLoad(light));
  report('other API keys, beside a flood', beside);
  for (const answers of (await flood).answers) report('  the flood', answers);
  ratios.push(`p99 beside a flood ${(beside.p99 / alone.p99).toFixed(2)} times that alone\n`);
  await service.stop();
}
process.stdout.write(`${alignColumns(lines)}${ratios.join('')}`);

function succeeded({ answers }: LoadResult): Answers {
  const none = { status: 200, count: 0, perSecond: 0, p50: 0, p95: 0, p99: 0 };
  return answers.find(({ status }) => status === 200) ?? none;
}

function report(what: string, { status, perSecond, p50, p99 }: Answers): void {
  lines.push([what, perSecond.toFixed(0), String(status), p50.toFixed(1), p99.toFixed(1)]);
}
