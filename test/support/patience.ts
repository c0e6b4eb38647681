import { setTimeout as pause } from 'node:timers/promises';
import { type Answer, outcome } from './client.ts';

/** Sends a request again for as long as the answer is that the credential has run out of tokens. */
export async function patiently(attempt: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    const answer = await attempt();
    if (outcome(answer) !== '429 rate_limited') return answer;
    await pause(50);
  }
}
