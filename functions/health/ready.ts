import { z } from 'zod';
import { needs } from '../needs.ts';

const state = z.enum(['ok', 'unavailable']);
const answer = z
  .object({
    status: state.describe('`ok` if every check is `ok`.'),
    checks: z
      .object({
        firestore: state.describe('Whether Firestore answers.'),
        kms: state.describe('Whether the KMS answers.'),
        policy: state.describe('Whether the policy decision point answers.'),
      })
      .describe('The result of each check.'),
  })
  .meta({ id: 'Ready' });

/** Anyone may call this route, so it answers with the result of a check that is up to ten seconds old. */
export const readyRoute = needs('readiness').openRoute({
  id: 'ready',
  path: '/health/ready',
  summary: 'Check that Firestore, the KMS and the policy decision point answer',
  description: "Checks that the service's dependencies answer. Responds with 503 if one of them does not.",
  tag: 'Health',
  statuses: [200, 503],
  answer,
  async respond({ readiness }) {
    const checks = await readiness.probe();
    const isReady = Object.values(checks).every((found) => found === 'ok');
    return { status: isReady ? 200 : 503, body: { status: isReady ? 'ok' : 'unavailable', checks } };
  },
});
