import { z } from 'zod';
import { needs } from '../needs.ts';

/** Answers that the process is running. */
export const answerAlive = async () => ({ status: 200, body: { status: 'ok' } }) as const;

export const liveRoute = needs().openRoute({
  id: 'live',
  path: '/health',
  summary: 'Check that the process is running',
  description: 'Answers as soon as the process runs. Checks nothing else.',
  tag: 'Health',
  statuses: [200],
  answer: z.object({ status: z.literal('ok').describe('The process is running.') }).meta({ id: 'Live' }),
  respond: answerAlive,
});
