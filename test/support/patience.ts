import { setTimeout as pause } from 'node:timers/promises';
import { type Answer, outcome } from './client.ts';

/**
 * Repeats a request while its outcome is one of `busy` (by default, while the credential is rate limited). Returns the
 * last answer.
 */
export async function patiently(
  attempt: () => Promise<Answer>,
  busy: readonly string[] = ['429 rate_limited'],
): Promise<Answer> {
  for (;;) {
    const answer = await attempt();
    if (!busy.includes(outcome(answer))) return answer;
    await pause(50);
  }
}
