import { z } from 'zod';
import { openRoute } from '../../shared/http/pipeline.ts';
import type { Readiness } from './readiness.ts';

/** What it takes to tell whether the service is ready. */
export interface ReadyNeeds {
  readonly readiness: Pick<Readiness, 'probe'>;
}

const state = z.enum(['ok', 'unavailable']);
const answer = z
  .object({ status: state, checks: z.object({ firestore: state, kms: state, policy: state }) })
  .meta({ id: 'Ready' });

export const readyRoute = openRoute({
  id: 'ready',
  path: '/health/ready',
  summary: 'Whether all that the service needs answers: Firestore, the KMS, the policy decision point',
  statuses: [200, 503],
  answer,
  async respond({ readiness }: ReadyNeeds) {
    const checks = await readiness.probe();
    const isReady = Object.values(checks).every((found) => found === 'ok');
    return { status: isReady ? 200 : 503, body: { status: isReady ? 'ok' : 'unavailable', checks } };
  },
});
