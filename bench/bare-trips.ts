/*
 * What each round trip of an operation costs bare, one at a time: node bench/bare-trips.ts '{"document","keyVersion"}', in
 * the service's environment. Prints the medians in milliseconds as JSON.
 */
import { randomUUID } from 'node:crypto';
import { Firestore } from '@google-cloud/firestore';
import { z } from 'zod';
import { DecisionPoint } from '../shared/auth/decision-point.ts';
import { readConfig } from '../shared/config.ts';
import { makeKmsClient } from '../shared/crypto/kms-client.ts';
import { ACTIONS } from '../shared/tenancy/actions.ts';
import { commitOne } from './scale/bare-commit.ts';

const ROUNDS = 400;

const { document, keyVersion } = z
  .object({ document: z.string(), keyVersion: z.string() })
  .parse(JSON.parse(process.argv[2] ?? ''));
const config = readConfig(process.env);
const db = new Firestore({ projectId: config.project });
const decisionPoint = new DecisionPoint(config.policyDecisionUrl);
const kms = makeKmsClient(config);
const principal = { id: randomUUID(), roles: ['api_key'], attr: { allowed_actions: ACTIONS } };
const resource = { kind: 'key', id: randomUUID(), attr: { tier: 'wrapped' } };

const medians = {
  read: await median(() => db.getAll(db.doc(document))),
  decision: await median(() => decisionPoint.check(principal, [{ resource, actions: ['encrypt'] }])),
  kms: await median(() => kms.encrypt({ name: keyVersion, plaintext: Buffer.alloc(1_024) })),
  commit: await median(() => commitOne(db)),
};
process.stdout.write(JSON.stringify(medians));
process.exit();

async function median(trip: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const from = performance.now();
    await trip();
    times.push(performance.now() - from);
  }
  // The first half warms up.
  return times.slice(ROUNDS / 2).sort((a, b) => a - b)[ROUNDS / 4] ?? 0;
}
