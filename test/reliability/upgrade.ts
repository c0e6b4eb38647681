import { readFileSync } from 'node:fs';
import http from 'node:http';
import { join } from 'node:path';
import { pipeline } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { markdownTable } from '../../bench/table.ts';
import { listen, portOf } from '../../emulators/base/listen.ts';
import { openHooks } from '../../emulators/base/service-hooks.ts';
import { functionsOf, readOperations } from '../../emulators/gateway/routing.ts';
import { startGateway } from '../../emulators/gateway/server.ts';
import { allConfigured } from '../../emulators/stack/service-environment.ts';
import { SECOND_US } from '../../shared/base/clock.ts';
import { SETTLED_AFTER_US } from '../../shared/sealing/seal-tenant.ts';
import { ROOT } from '../sources.ts';
import type { Addresses } from '../support/client.ts';
import { startSecondService } from '../support/second-service.ts';
import { startTestStack } from '../support/stacks.ts';
import { makeTenant } from '../support/tenant.ts';
import { type Checkout, checkOut, lastRelease, successor, TODAY } from './checkouts.ts';
import { ANSWERED_BY, compareStored, decryptKept, Ledger, noteRows, type RequestResult } from './ledger.ts';
import { administering, changingKeys, operating, reading, startTraffic, usingTransit } from './traffic.ts';

const TENANTS = 3;

/** The pause of a client between two requests. Without it, clients would keep the machine busy. */
const PAUSE_MS = 25;

/** A version of the service. */
export interface Version {
  readonly name: string;
  readonly checkout: Checkout;
  readonly isSuccessor?: boolean;
}

const today: Version = { name: 'today', checkout: TODAY };

/**
 * npm run drill -- upgrade [--from REF] [--seconds N]: makes updates under traffic, each with its rollback: from the
 * last release to today's version, and from today's version to a successor, which a patch makes. Each phase lasts N
 * seconds. Prints the results. Fails if the service did not behave as promised.
 */
export async function drill(): Promise<void> {
  const { values } = parseArgs({ options: { from: { type: 'string' }, seconds: { type: 'string', default: '6' } } });
  const seconds = Number(values.seconds);
  if (!(seconds >= 1)) throw new Error('--seconds must be at least 1');
  const stack = await startTestStack();
  await using cleanup = new AsyncDisposableStack();
  cleanup.defer(stack.stop);
  const release = values.from ?? lastRelease();
  using earlier = checkOut(release);
  using later = successor();
  const updates: [Version, Version][] = [
    [{ name: release, checkout: earlier }, today],
    [today, { name: 'successor', checkout: later, isSuccessor: true }],
  ];
  for (const [older, newer] of updates) {
    const { phases, decrypted, flaws } = await runUpgrade(stack, older, newer, seconds);
    const count = (results: readonly RequestResult[], isCounted: (one: RequestResult) => boolean) =>
      String(results.filter(isCounted).length);
    const rows = phases.map(({ name, results }) => [
      name,
      ...[older, newer].map((version) => count(results, ({ answeredBy }) => answeredBy === version.name)),
      count(results, ({ isExpected }) => !isExpected),
    ]);
    const head = ['traffic', `answered by ${older.name}`, `answered by ${newer.name}`, 'failed'];
    process.stdout.write(`\n${markdownTable(head, rows)}\n${decrypted} ciphertexts were decrypted.\n`);
    for (const flaw of flaws) process.stdout.write(`  ${flaw}\n`);
    if (flaws.length > 0) process.exitCode = 1;
  }
}

/**
 * Runs an update and a rollback as a deployment does: the traffic goes to the older version, to both versions, to the
 * newer version, and then back to the older version. Each phase lasts `seconds`. Then compares what is stored with what
 * clients know, once with each version. Returns the requests of each phase, the number of ciphertexts that were
 * decrypted at the end with both versions, and a line for each wrong result.
 */
export async function runUpgrade(stack: Addresses, older: Version, newer: Version, seconds: number) {
  await using cleanup = new AsyncDisposableStack();
  const ledger = new Ledger({ successor: newer.isSuccessor ? newer.name : undefined });
  const split = await startTrafficSplit();
  cleanup.defer(split.stop);
  const document = readFileSync(join(ROOT, 'deploy/gateway.json'), 'utf8');
  const addresses = Object.fromEntries(functionsOf(document).map((name) => [name, `http://127.0.0.1:${split.port}`]));
  const operations = readOperations(document, addresses);
  // In a local stack, a process accepts requests from any caller, so the token does not matter.
  const gateway = await startGateway({ port: 0, operations, idToken: async () => 'none' });
  cleanup.defer(gateway.stop);
  const phases: { readonly name: string; readonly results: RequestResult[] }[] = [];
  const running = new Map<Version, Revision>();
  /**
   * Sends all traffic to these versions. Starts them if they are not running, and ends all other versions as Cloud Run
   * does.
   */
  const shiftTraffic = async (phase: string, ...versions: readonly Version[]): Promise<void> => {
    for (const version of versions) {
      if (!running.has(version)) running.set(version, await startRevision(stack, version));
    }
    phases.at(-1)?.results.push(...ledger.takeResults());
    phases.push({ name: phase, results: [] });
    split.send([...running].filter(([version]) => versions.includes(version)).map(([, revision]) => revision));
    for (const [version, revision] of running) {
      if (versions.includes(version)) continue;
      running.delete(version);
      ledger.flaws.push(...(await revision.drain()));
    }
  };
  cleanup.defer(async () => {
    for (const revision of running.values()) await revision.drain();
  });

  await shiftTraffic(`${older.name} only`, older);
  const at = { ...stack, baseUrl: `http://127.0.0.1:${gateway.port}` };
  const tenants = await Promise.all(Array.from({ length: TENANTS }, () => makeTenant(at)));
  for (const tenant of tenants) await noteRows(ledger, tenant);
  const kinds = [operating, operating, changingKeys, administering, usingTransit, reading];
  const traffic = startTraffic(
    ledger,
    () => PAUSE_MS,
    (send) => tenants.flatMap((tenant) => kinds.map((kind) => kind({ tenant, ledger, send }))),
  );
  const runPhase = async (jobVersion: Version): Promise<void> => {
    await pause((seconds * 1000) / 2);
    await traffic.whilePaused(async () => running.get(jobVersion)?.runJobs());
    await pause((seconds * 1000) / 2);
  };
  await runPhase(older);
  await shiftTraffic('both', older, newer);
  await runPhase(newer);
  await shiftTraffic(`${newer.name} only`, newer);
  await runPhase(newer);
  await shiftTraffic(`${older.name} again`, older);
  await runPhase(older);
  await traffic.stop();
  let decrypted = 0;
  for (const version of [older, newer]) {
    await shiftTraffic(`decrypting everything with ${version.name}`, version);
    await running.get(version)?.runJobs();
    decrypted += await decryptKept(ledger);
    await compareStored(ledger, tenants, 'some sealed').catch((error: Error) => ledger.flaws.push(error.message));
  }
  await shiftTraffic('none');
  return { phases: phases.slice(0, -1), decrypted, flaws: ledger.flaws };
}

/**
 * The settings of a deployed service behind a gateway, but without rate limits. Only the successor reads the last
 * setting.
 */
const SETTINGS = {
  CREDENTIAL_HEADER: 'x-forwarded-authorization',
  TRUSTED_PROXY_HOPS: '1',
  KMS_OPERATIONS_PER_SECOND: '100000',
  KEY_DESCRIPTION_LENGTH: '64',
};

/** A process that runs a version of the service. */
interface Revision {
  readonly name: string;
  readonly baseUrl: string;
  /**
   * Runs `destroy-due-keys` and `seal-audit`. Call it only while no request is in progress. Afterwards, all audit rows
   * that are older than a second are sealed.
   */
  runJobs(): Promise<void>;
  /**
   * Ends the process with SIGTERM. Resolves to a line for each warning or error in its log, and for a wrong exit code.
   */
  drain(): Promise<string[]>;
}

/** Starts a process of a version on a free port, which uses the dependencies of a stack. */
async function startRevision(stack: Addresses, { name, checkout: { folder } }: Version): Promise<Revision> {
  const settings = { ...allConfigured(stack), ...SETTINGS };
  const { baseUrl, child, printed, stop } = await startSecondService(stack, settings, { folder });
  const ask = openHooks(child);
  return {
    name,
    baseUrl,
    async runJobs() {
      await ask({ run: 'destroy-due-keys' });
      // Move the clock so that `seal-audit` seals all rows older than a second. No such row is still unstored, because
      // no request is in progress and the clocks differ by less than a second.
      await ask({ clock_offset_us: SETTLED_AFTER_US - SECOND_US });
      await ask({ run: 'seal-audit' });
      await ask({ clock_offset_us: 0 });
    },
    async drain() {
      const code = await stop();
      const errors = printed()
        .split('\n')
        .filter((line) => /^\{"severity":"(WARNING|ERROR)"/.test(line));
      return [...(code === 0 ? [] : [`ended with ${code}`]), ...errors].map((flaw) => `the ${name} version: ${flaw}`);
    },
  };
}

/**
 * Starts a server that does the work of Cloud Run's traffic split: it sends requests in turn to the revisions that have
 * traffic. If a revision breaks a connection, the answer is 502. There is no retry.
 */
async function startTrafficSplit() {
  let revisions: readonly Revision[] = [];
  let turn = 0;
  const server = http.createServer((message, response) => {
    const revision = revisions[turn++ % revisions.length];
    if (revision === undefined) return void response.writeHead(503).end();
    const { method, headers, url } = message;
    const onward = http.request(revision.baseUrl + url, { method, headers, agent: false }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, { ...answer.headers, [ANSWERED_BY]: revision.name });
      pipeline(answer, response, () => undefined);
    });
    onward.once('error', () => (response.headersSent ? response.destroy() : response.writeHead(502).end()));
    message.pipe(onward);
  });
  await listen(server, 0);
  return {
    port: portOf(server),
    /** Sends all further requests to these revisions. Requests in progress are not moved. */
    send(to: readonly Revision[]) {
      revisions = to;
    },
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
