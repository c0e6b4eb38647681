import { randomInt, randomUUID } from 'node:crypto';
import http from 'node:http';
import { parseArgs } from 'node:util';
import { bodiesFor, METERED } from '../support/operations.ts';
import { startTestStack } from '../support/stacks.ts';
import { ALL_TIERS, makeTenant } from '../support/tenant.ts';
import { lineOf } from '../support/usage.ts';
import { type Call, compareStored, Ledger, noteRows } from './ledger.ts';
import { makeProxiedService, type ProxiedService } from './proxied-service.ts';
import { post } from './tracked-request.ts';

/** How often the process ends under load, with which signal, and in which state Firestore is meanwhile. */
export interface CrashOptions {
  readonly signal: 'SIGKILL' | 'SIGTERM';
  readonly rounds: number;
  readonly firestore: 'healthy' | 'slow' | 'failing';
}

/**
 * The delay of each request to Firestore in the state `slow`. It is much shorter than the deadline, but long enough
 * that many commits are in progress when the process ends.
 */
const SLOW_MS = 50;

const CLIENTS = 24;

/** In each round, the process ends after a random number of attempts in this range. */
const ATTEMPTS = { min: 60, max: 300 };

/**
 * npm run drill -- crash [--rounds N]: ends the process under load N times with SIGKILL and N times with SIGTERM, first
 * with a healthy Firestore, then with a slow one, then with a failing one. Prints figures. Fails if the service did not
 * behave as promised.
 */
export async function drill(): Promise<void> {
  const { values } = parseArgs({ options: { rounds: { type: 'string', default: '20' } } });
  const rounds = Number(values.rounds);
  if (!(rounds >= 1)) throw new Error('--rounds must be at least 1');
  await using cleanup = new AsyncDisposableStack();
  const stack = await startTestStack();
  cleanup.defer(stack.stop);
  const service = await makeProxiedService(stack);
  cleanup.defer(service.stop);
  for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
    for (const firestore of ['healthy', 'slow', 'failing'] as const) {
      await service.start();
      const { flaws, endings } = await endUnderLoad(service, { signal, rounds, firestore });
      await service.end('SIGTERM');
      process.stdout.write(`${signal}, Firestore ${firestore}: ${JSON.stringify(endings)}\n`);
      for (const flaw of flaws) process.stdout.write(`  ${flaw}\n`);
      if (flaws.length > 0) process.exitCode = 1;
    }
  }
}

/**
 * Ends the process once per round, while clients perform all operations with keys of every tier. Then compares the
 * stored rows and counts with the answers. Returns a line for each wrong result, and the number of attempts by their
 * ending: `200`, `500 internal_error`, `unanswered` or `cut`.
 */
export async function endUnderLoad(service: ProxiedService, { signal, rounds, firestore }: CrashOptions) {
  const tenant = await makeTenant(service);
  const ledger = new Ledger();
  const requests = await Promise.all(
    ALL_TIERS.map(async (tier) => {
      const meters = ledger.addKey(await tenant.createKey(tier), tenant.api);
      const bodies = await bodiesFor(tenant.api, meters.id);
      const { ops } = await lineOf(tenant.api, meters.id);
      ledger.note('', { meters }, { least: ops, most: ops });
      return METERED.map((row) => ({ row, meters, body: bodies[row] }));
    }),
  );
  await noteRows(ledger, tenant);
  if (firestore === 'slow') service.delay('firestore', SLOW_MS);
  if (firestore === 'failing') await service.set('firestore', 'failing');
  const endings: Record<string, number> = {};
  for (let round = 0; round < rounds; round++) {
    for (const { id, request, ending, isLost } of await runRound(service, tenant.api.token, requests.flat(), signal)) {
      endings[ending] = (endings[ending] ?? 0) + 1;
      ledger.note(id, request, { least: ending === '200' ? 1 : 0, most: 1 });
      if (isLost) ledger.flaws.push(`${request.row} was sent before the signal, and its answer was ${ending}`);
    }
    await service.start();
  }
  await service.set('firestore', null);
  await compareStored(ledger, [tenant], 'unsealed');
  return { flaws: ledger.flaws, endings };
}

type MeteredRequest = Required<Pick<Call, 'row' | 'meters' | 'body'>>;

/** Sends requests until the process ends. `isLost`: a SIGTERM has ended the process without the answer that it owed. */
async function runRound(
  service: ProxiedService,
  token: string | undefined,
  requests: readonly MeteredRequest[],
  signal: CrashOptions['signal'],
) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: CLIENTS });
  const endAfter = randomInt(ATTEMPTS.min, ATTEMPTS.max);
  const attempts: { id: string; request: MeteredRequest; ending: string }[] = [];
  const inFlight = new Map<string, () => boolean>();
  const sentBefore = new Set<string>();
  let begun = 0;
  let ended: Promise<unknown> | undefined;
  const client = async () => {
    while (ended === undefined) {
      const request = requests[begun++ % requests.length];
      if (request === undefined) return;
      const id = randomUUID();
      const headers = { authorization: `Bearer ${token}`, 'x-request-id': id };
      const url = `${service.baseUrl}/v1/keys/${request.meters.id}/${request.row}`;
      const tracked = post(agent, url, headers, request.body);
      inFlight.set(id, tracked.isSent);
      if (begun === endAfter) {
        // Wait for the next turn of the event loop: by then, requests that were just written are on their way or
        // answered.
        setImmediate(() => {
          for (const [one, isSent] of inFlight) if (isSent()) sentBefore.add(one);
          ended = service.end(signal);
        });
      }
      attempts.push({ id, request, ending: await tracked.ending });
      inFlight.delete(id);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  await ended;
  agent.destroy();
  const isLost = ({ id, ending }: { id: string; ending: string }) =>
    signal === 'SIGTERM' && (ending === 'cut' || (ending === 'unanswered' && sentBefore.has(id)));
  return attempts.map((attempt) => ({ ...attempt, isLost: isLost(attempt) }));
}
