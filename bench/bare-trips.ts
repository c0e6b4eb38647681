/*
 * Measures the round trips of an operation, without the service: node bench/bare-trips.ts '{"document","keyVersion"}',
 * in the service's environment. Makes one call at a time. Prints the median of each kind of round trip as JSON, in
 * milliseconds.
 */
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { DecisionPoint } from '../shared/auth/decision-point.ts';
import { readConfig } from '../shared/config.ts';
import { loadKms } from '../shared/kms/load-kms.ts';
import { ACTIONS } from '../shared/operations.ts';
import { Commit } from '../shared/store/commit.ts';
import { connect } from '../shared/store/connect.ts';
import { median } from './statistics.ts';

const ROUNDS = 400;

const { document, keyVersion } = z
  .object({ document: z.string(), keyVersion: z.string() })
  .parse(JSON.parse(process.argv[2] ?? ''));
const config = readConfig(process.env);
const api = connect(config);
const decisionPoint = new DecisionPoint(config.policyDecisionUrl);
const kms = await loadKms(config);
const principal = { id: randomUUID(), roles: ['api_key'], attr: { allowed_actions: ACTIONS } };
const resource = { kind: 'key', id: randomUUID(), attr: { tier: 'wrapped' } };

const medians = {
  read: await timeOf(() => api.read([document])),
  decision: await timeOf(() => decisionPoint.check(principal, [{ resource, actions: ['encrypt'] }])),
  kms: await timeOf(() => kms.encrypt({ name: keyVersion, plaintext: Buffer.alloc(1_024) })),
  commit: await timeOf(() => commitOne()),
};
process.stdout.write(JSON.stringify(medians));
process.exit();

/** Commits a count and an audit row, as the baseline does. */
async function commitOne(): Promise<void> {
  const commit = new Commit(api);
  commit.merge(`baselineUsage/${randomUUID()}`, {}, { ops: 1 });
  commit.create(`baselineAudit/${randomUUID()}`, { ...principal, request_id: randomUUID() });
  await commit.apply();
}

async function timeOf(trip: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const from = performance.now();
    await trip();
    times.push(performance.now() - from);
  }
  // The first half of the calls only warms up the code.
  return median(times.slice(ROUNDS / 2));
}
