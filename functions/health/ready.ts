import { z } from 'zod';
import type { Env } from '../../shared/env.ts';
import { openRoute } from '../../shared/http/pipeline.ts';

const state = z.enum(['ok', 'unavailable']);
const answer = z
  .object({ status: state, checks: z.object({ firestore: state, kms: state, policy: state }) })
  .meta({ id: 'Ready' });

export const readyRoute = openRoute({
  path: '/health/ready',
  summary: 'Whether all that the service needs answers: Firestore, the KMS, the policy decision point',
  statuses: [200, 503],
  answer,
  async respond(env) {
    const [firestore, kms, policy] = await Promise.all([
      stateOf(env, 'firestore', () => env.store.ping()),
      stateOf(env, 'kms', () => env.kms.ping()),
      stateOf(env, 'policy', () => env.policy.ping()),
    ]);
    const status = [firestore, kms, policy].includes('unavailable') ? 'unavailable' : 'ok';
    return { status: status === 'ok' ? 200 : 503, body: { status, checks: { firestore, kms, policy } } };
  },
});

async function stateOf(env: Env, what: string, ping: () => Promise<void>): Promise<z.output<typeof state>> {
  try {
    await ping();
    return 'ok';
  } catch (error) {
    env.log.write('WARNING', `not ready: ${what} does not answer`, {}, error);
    return 'unavailable';
  }
}
