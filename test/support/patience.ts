import { setTimeout as pause } from 'node:timers/promises';
import { type Answer, outcome } from './client.ts';

/**
 * Sends a request again while the answer is one of `busy`. By default, it retries while the credential is rate limited.
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
