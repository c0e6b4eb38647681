import { randomInt, randomUUID } from 'node:crypto';
import http from 'node:http';
import { serviceFor } from '../support/check-log.ts';
import { bodiesFor, METERED, type Metered } from '../support/operations.ts';
import { ALL_TIERS, type Client, makeTenant } from '../support/tenant.ts';
import type { ProxiedService } from './proxied-service.ts';
import { Ledger } from './soak/ledger.ts';
import { describeEnding, post } from './tracked-request.ts';

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

/** The results of all rounds together. */
export interface CrashResult {
  readonly attempted: number;
  readonly acknowledged: number;
  /** The number of attempts by their result: `200`, `500 internal_error`, `unanswered`, `cut`. */
  readonly endings: Readonly<Record<string, number>>;
  /** The number of attempts that the audit log records as successful. */
  readonly recorded: number;
  /** The number of operations in the usage counts. */
  readonly counted: number;
  /** One line for each wrong result. Empty if the service behaved correctly. */
  readonly flaws: readonly string[];
}

const CLIENTS = 24;
/** The only month of the ledger. The drill reads the counts of the current month. */
const MONTH = 'now';
/** In each round, the process ends after a random number of attempts in this range. */
const ATTEMPTS = { min: 60, max: 300 };

interface Attempt {
  readonly id: string;
  readonly keyId: string;
  readonly operation: Metered;
  readonly ending: string;
}

/**
 * Ends the process once per round, while clients perform all operations with keys of every tier. Then compares the
 * stored rows and counts with the answers.
 */
export async function endUnderLoad(
  service: ProxiedService,
  { signal, rounds, firestore }: CrashOptions,
): Promise<CrashResult> {
  const tenant = await makeTenant(service);
  const keys = await Promise.all(
    ALL_TIERS.map(async (tier) => {
      const keyId = await tenant.createKey(tier);
      return { keyId, bodies: await bodiesFor(tenant.api, keyId) };
    }),
  );
  const requests = keys.flatMap(({ keyId, bodies }) =>
    METERED.map((operation) => ({ keyId, operation, body: bodies[operation] })),
  );
  const keyIds = keys.map(({ keyId }) => keyId);
  const ledger = new Ledger();
  const before = await readStored(tenant.api, keyIds);
  for (const { key_id, ops } of before.usage) ledger.usedBefore(key_id, MONTH, ops);
  for (const { request_id, operation } of before.rows) ledger.recorded(request_id ?? '', operation, 1);
  const attempts: Attempt[] = [];
  const flaws: string[] = [];
  if (firestore === 'slow') service.delay('firestore', SLOW_MS);
  if (firestore === 'failing') await service.set('firestore', 'failing');
  for (let round = 0; round < rounds; round++) {
    const done = await runRound(service, tenant.api, requests, signal);
    attempts.push(...done.attempts);
    flaws.push(...done.flaws);
    await service.start();
  }
  await service.set('firestore', null);
  for (const { id, keyId, operation, ending } of attempts) {
    if (ending === '200') ledger.counted(keyId, MONTH, 1);
    else ledger.maybeCounted(keyId, MONTH, 1);
    ledger.recorded(id, operation, ending === '200' ? 1 : 0, 1);
  }
  const { usage, rows } = await readStored(tenant.api, keyIds);
  const sumOf = (lines: typeof usage) => lines.reduce((sum, { ops }) => sum + ops, 0);
  return {
    ...tally(attempts),
    recorded: rows.length - before.rows.length,
    counted: sumOf(usage) - sumOf(before.usage),
    flaws: [...flaws, ...ledger.compareUsage(new Map([[MONTH, usage]])), ...ledger.compareRows(rows)],
  };
}

/** Reads the counts of the keys, and the audit rows of their successful operations. */
async function readStored(api: Client, keyIds: readonly string[]) {
  const service = serviceFor(api);
  const usage = (await service.readUsage()).filter(({ key_id }) => keyIds.includes(key_id));
  const rows = await Promise.all(keyIds.map((id) => Array.fromAsync(service.readKeyAudit(id, { limit: 1_000 }))));
  return { usage, rows: rows.flat().filter(({ result }) => result === 'success') };
}

type MeteredRequest = { readonly keyId: string; readonly operation: Metered; readonly body: unknown };

/**
 * Sends requests until the process ends. After a SIGTERM, returns a line for each request that was sent before the
 * signal but got no complete answer.
 */
async function runRound(
  service: ProxiedService,
  api: Client,
  requests: readonly MeteredRequest[],
  signal: CrashOptions['signal'],
): Promise<{ attempts: Attempt[]; flaws: string[] }> {
  const agent = new http.Agent({ keepAlive: true, maxSockets: CLIENTS });
  const endAfter = randomInt(ATTEMPTS.min, ATTEMPTS.max);
  const attempts: Attempt[] = [];
  const inFlight = new Set<{ readonly id: string; isSent(): boolean }>();
  let sentBefore = new Set<string>();
  let begun = 0;
  let ended: Promise<unknown> | undefined;
  const client = async () => {
    while (ended === undefined) {
      const request = requests[begun++ % requests.length];
      if (request === undefined) return;
      const { keyId, operation, body } = request;
      const id = randomUUID();
      const headers = { authorization: `Bearer ${api.token}`, 'x-request-id': id };
      const tracked = post(agent, `${service.baseUrl}/v1/keys/${keyId}/${operation}`, headers, body);
      const one = { id, isSent: tracked.isSent };
      inFlight.add(one);
      if (begun === endAfter) {
        // Wait for the next turn of the event loop: by then, requests that were just written are on their way or
        // answered.
        setImmediate(() => {
          sentBefore = new Set([...inFlight].filter((some) => some.isSent()).map((some) => some.id));
          ended = service.end(signal);
        });
      }
      attempts.push({ id, keyId, operation, ending: describeEnding(await tracked.ending) });
      inFlight.delete(one);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  await ended;
  agent.destroy();
  if (signal === 'SIGKILL') return { attempts, flaws: [] };
  const lost = attempts.filter(({ id, ending }) => ending === 'cut' || (ending === 'unanswered' && sentBefore.has(id)));
  return {
    attempts,
    flaws: lost.map(
      ({ operation, ending }) =>
        `${operation} was sent before the signal, and its answer was ${ending === 'cut' ? 'cut off' : 'missing'}`,
    ),
  };
}

function tally(attempts: readonly Attempt[]) {
  const endings = Object.groupBy(attempts, ({ ending }) => ending);
  const counts = Object.fromEntries(Object.entries(endings).map(([ending, some]) => [ending, some?.length ?? 0]));
  return { attempted: attempts.length, acknowledged: counts['200'] ?? 0, endings: counts };
}
