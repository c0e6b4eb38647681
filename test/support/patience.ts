import { setTimeout as pause } from 'node:timers/promises';
import { type Answer, outcome } from './client.ts';

/** Sends a request again as long as it is answered with one of `busy`: by default, that the credential has no tokens left. */
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
