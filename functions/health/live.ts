import { z } from 'zod';
import { openRoute } from '../../shared/http/pipeline.ts';

export const liveRoute = openRoute({
  id: 'live',
  path: '/health',
  summary: 'Whether the process runs; touches nothing else',
  statuses: [200],
  answer: z.object({ status: z.literal('ok') }).meta({ id: 'Live' }),
  respond: async () => ({ status: 200, body: { status: 'ok' } }),
});
