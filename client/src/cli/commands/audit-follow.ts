import { setTimeout as sleep } from 'node:timers/promises';
import { InvalidArgumentError, Option } from 'commander';
import type { Command } from '../command.ts';
import { noCredential } from '../failure.ts';
import { Follower, findEnd, ServiceClock } from '../follow/follow.ts';
import { Patience } from '../follow/patience.ts';
import { FollowState, readState, refuseOtherTenant } from '../follow/state-file.ts';
import { findPersonTarget, makeService, use } from '../service.ts';
import { requireOutput, writeOut } from '../standard-output.ts';

interface Options {
  readonly state?: string;
  readonly interval: number;
  readonly once?: boolean;
}

/** How long a line may still be written after a signal. */
const LAST_LINE_MS = 1_000;

export function addAuditFollow(audit: Command): void {
  audit
    .command('follow')
    .description('Print each new audit event as a line of JSON, oldest first (requires an access token)')
    .option('--state <file>', 'File that stores how far the log was printed; the next run continues there')
    .addOption(
      new Option('--interval <seconds>', 'Pause between requests, 1 to 3600').default(10).argParser(parseSeconds),
    )
    .option('--once', 'Exit when everything that is old enough was printed')
    .examples(
      [
        'Send events to a log collector, without gaps after a restart',
        'esk audit follow --state follow.state | vector',
      ],
      ['Fetch new events every hour with cron', 'esk audit follow --state follow.state --once >> events.jsonl'],
    )
    .remarks(`An event is printed when it is two minutes old, because the service may store it some seconds after its time. Without
a state file, or if the file does not exist yet, only events from now on are printed. If the program is killed, the
next run repeats at most one event.

esk reads with ESK_ACCESS_TOKEN, or with the token in the file ESK_ACCESS_TOKEN_FILE, which it reads for every request,
or as the person who is signed in. The role auditor is enough.`)
    .action(follow);
}

async function follow(options: Options): Promise<void> {
  requireOutput();
  const stopped = stopOnSignals();
  try {
    await followUntil(stopped, options);
  } catch (error) {
    if (!stopped.aborted) throw error;
  }
}

async function followUntil(stopped: AbortSignal, { state: path, interval, once }: Options): Promise<void> {
  const kept = path === undefined ? undefined : readState(path);
  const clock = new ServiceClock();
  const target = await findPersonTarget();
  let tenantId: string | undefined;
  const accessToken = checkedReader(target.accessToken, async (token) => {
    const { service } = makeService({ url: target.url, accessToken: async () => token }, { maxRetries: 0 });
    await findEnd(service, clock, stopped);
    const { tenant } = await service.me({ signal: stopped });
    if (tenantId !== undefined && tenant.id !== tenantId)
      throw noCredential(`the access token is now for tenant ${tenant.id}, but esk follows tenant ${tenantId}`);
  });
  const watch = (response: Response) => clock.note(response);
  const connected = makeService({ ...target, ...(accessToken && { accessToken }) }, { maxRetries: 0, watch });
  await use(connected, async ({ service }) => {
    const patience = new Patience(stopped);
    // First a request that creates no tenant for a person who has none.
    const end = await patience.run(() => findEnd(service, clock, stopped));
    const { tenant } = await patience.run(() => service.me({ signal: stopped }));
    tenantId = tenant.id;
    if (path !== undefined && kept !== undefined) refuseOtherTenant(path, kept, tenant.id);
    const state = await FollowState.open(kept ?? { tenantId: tenant.id, start: end, printed: [] }, path);
    const follower = new Follower(service, clock, state, linesUntil(stopped), stopped);
    try {
      for (;;) {
        await patience.run(() => follower.catchUp());
        if (once) break;
        await sleep(interval * 1000, undefined, { signal: stopped });
      }
    } finally {
      state.close();
    }
  });
}

/** Returns a function that reads a token, and checks it if it differs from the last one. */
function checkedReader(
  read: (() => Promise<string>) | undefined,
  check: (token: string) => Promise<void>,
): (() => Promise<string>) | undefined {
  if (read === undefined) return undefined;
  let last: string | undefined;
  return async () => {
    const token = await read();
    if (last !== undefined && token !== last) await check(token);
    last = token;
    return token;
  };
}

/** Returns a signal that is aborted on signals which would otherwise end the program at once. */
function stopOnSignals(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.removeAllListeners(signal);
    process.on(signal, () => controller.abort());
  }
  return controller.signal;
}

/** Returns a function that writes a line. It gives up soon after the signal, if nobody reads the output. */
function linesUntil(stopped: AbortSignal): (line: string) => Promise<void> {
  const late = new Promise<never>((_, reject) => {
    stopped.addEventListener('abort', () => setTimeout(() => reject(stopped.reason), LAST_LINE_MS));
  });
  late.catch(() => undefined);
  return (line) => Promise.race([writeOut(line), late]);
}

function parseSeconds(text: string): number {
  const seconds = Number(text);
  if (!/^\d+(?:\.\d+)?$/.test(text) || seconds < 1 || seconds > 3_600)
    throw new InvalidArgumentError('Use a number of seconds from 1 to 3600.');
  return seconds;
}
