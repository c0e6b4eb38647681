import { type Addresses, makeTenant } from '../tenant.ts';

const API_KEYS = 40;
const WRONG_SECRETS = 1_000;

/** The requests of the load: encryption under one `wrapped` key, with API keys of one tenant. */
export interface Callers {
  readonly path: string;
  readonly body: string;
  readonly tokens: readonly string[];
  /** Tokens of one more API key, with wrong secrets. */
  readonly wrongTokens: readonly string[];
}

/** Makes the tenant, its key and its API keys. */
export async function makeCallers(stack: Addresses): Promise<Callers> {
  const tenant = await makeTenant(stack);
  const tokens: string[] = [];
  for (let n = 0; n < API_KEYS; n++) tokens.push(await tenant.mint({ allowed_actions: ['encrypt'] }));
  const flooded = await tenant.mint({ allowed_actions: ['encrypt'] });
  const wrongTokens = Array.from({ length: WRONG_SECRETS }, (_, n) => flooded.slice(0, -4) + String(1_000 + n));
  const key = await tenant.createKey(stack.baseUrl, 'wrapped');
  const body = JSON.stringify({ plaintext: Buffer.alloc(1024, 7).toString('base64') });
  return { path: `/v1/keys/${key}/encrypt`, body, tokens, wrongTokens };
}
