import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { functionsOf, readOperations } from '../../emulators/gateway/routing.ts';
import { startGateway } from '../../emulators/gateway/server.ts';
import { ROOT } from '../sources.ts';
import type { Addresses } from '../support/client.ts';
import type { Checkout } from './checkouts.ts';
import { Ledger, type RequestResult } from './ledger.ts';
import { type Revision, startRevision } from './revision.ts';
import { compareStored, decryptKept } from './stored-as-acknowledged.ts';
import { startTraffic } from './traffic.ts';
import { startTrafficSplit } from './traffic-split.ts';

/** A version of the service. */
export interface Version {
  readonly name: string;
  readonly checkout: Checkout;
  readonly isSuccessor?: boolean;
}

/** A phase of the drill, during which all traffic goes to the same versions, and the results of its requests. */
export interface Phase {
  readonly name: string;
  readonly results: RequestResult[];
}

/** The results of an update and its rollback. */
export interface UpgradeResult {
  readonly phases: readonly Phase[];
  /** The number of ciphertexts that were decrypted at the end, with both versions. */
  readonly decrypted: number;
  /** One line for each wrong result. Empty if the service behaved correctly. */
  readonly flaws: readonly string[];
}

/**
 * Runs an update and a rollback as a deployment does: the traffic goes to the older version, to both versions, to the
 * newer version, and then back to the older version. Each phase lasts `seconds`. Then compares what is stored with what
 * clients know, once with each version.
 */
export async function runUpgrade(
  stack: Addresses,
  older: Version,
  newer: Version,
  seconds: number,
): Promise<UpgradeResult> {
  await using cleanup = new AsyncDisposableStack();
  const ledger = new Ledger(newer.isSuccessor ? newer.name : undefined);
  const split = await startTrafficSplit();
  cleanup.defer(split.stop);
  const document = readFileSync(join(ROOT, 'deploy/gateway.json'), 'utf8');
  const addresses = Object.fromEntries(functionsOf(document).map((name) => [name, `http://127.0.0.1:${split.port}`]));
  const operations = readOperations(document, addresses);
  // In a local stack, a process accepts requests from any caller, so the token does not matter.
  const gateway = await startGateway({ port: 0, operations, idToken: async () => 'none' });
  cleanup.defer(gateway.stop);

  const phases: Phase[] = [];
  const running = new Map<Version, Revision>();
  /**
   * Sends all traffic to these versions. Starts them if they are not running, and ends all other versions as Cloud Run
   * does.
   */
  const shiftTraffic = async (phase: string, ...versions: readonly Version[]): Promise<void> => {
    for (const version of versions) {
      if (!running.has(version)) running.set(version, await startRevision(stack, version.name, version.checkout));
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
  const traffic = await startTraffic({ ...stack, baseUrl: `http://127.0.0.1:${gateway.port}` }, ledger);
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
    await compareStored(ledger, traffic.tenants).catch((error: Error) => ledger.flaws.push(error.message));
  }
  await shiftTraffic('none');
  return { phases: phases.slice(0, -1), decrypted, flaws: ledger.flaws };
}
