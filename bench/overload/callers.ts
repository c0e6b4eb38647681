import { z } from 'zod';
import type { SeparateStack } from '../../emulators/stack/separate.ts';
import { demoOf } from '../demo.ts';

const API_KEYS = 40;
const WRONG_SECRETS = 1_000;

/** Who sends the load: many API keys, and one more with secrets that are wrong. */
export interface Callers {
  /** What they encrypt with, and what they send. */
  readonly path: string;
  readonly body: string;
  readonly tokens: readonly string[];
  readonly wrongTokens: readonly string[];
}

const minted = z.object({ token: z.string() });

/** Mints them for the stack's first tenant, all for one `wrapped` key. */
export async function makeCallers(stack: SeparateStack): Promise<Callers> {
  const demo = await demoOf(stack);
  const session = await call(`${stack.controlUrl}/tokens`, { sub: demo.subject });
  const { access_token } = z.object({ access_token: z.string() }).parse(session);
  const mint = async (name: string) =>
    minted.parse(await call(`${stack.baseUrl}/v1/api-keys`, { name, allowed_actions: ['encrypt'] }, access_token))
      .token;
  const tokens: string[] = [];
  for (let n = 0; n < API_KEYS; n++) tokens.push(await mint(`caller ${n}`));
  const flooded = await mint('flooded');
  const wrongTokens = Array.from({ length: WRONG_SECRETS }, (_, n) => flooded.slice(0, -4) + String(1_000 + n));
  const key = await call(`${stack.baseUrl}/v1/keys`, { name: 'overload', tier: 'wrapped' }, demo.api_key);
  const { id } = z.object({ id: z.string() }).parse(key);
  const body = JSON.stringify({ plaintext: Buffer.alloc(1024, 7).toString('base64') });
  return { path: `/v1/keys/${id}/encrypt`, body, tokens, wrongTokens };
}

async function call(url: string, body?: unknown, token?: string): Promise<unknown> {
  const answer = await fetch(url, {
    ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
    headers: { 'content-type': 'application/json', ...(token !== undefined && { authorization: `Bearer ${token}` }) },
  });
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${await answer.text()}`);
  return answer.json();
}
