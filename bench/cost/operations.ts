import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { Tier } from '../../shared/tiers.ts';
import { call } from '../http-client.ts';
import { type Addresses, createRequest, demoOf } from '../tenant.ts';

/** A metered operation of 1 KiB on a key of a tier. */
export interface MeteredOperation {
  readonly operation: string;
  readonly tier: Tier;
  /** Performs it once. Rejects unless it succeeds. */
  readonly operate: () => Promise<unknown>;
}

const created = z.object({ id: z.string() });

/** The five operations on a `wrapped` key, and `encrypt` on a `software` and a `free` key, through the service at `url`. */
export async function makeOperations(stack: Addresses, url: string): Promise<MeteredOperation[]> {
  const { api_key: token, key_id: freeKey } = await demoOf(stack);
  const post = <Body>(path: string, body: object, schema: z.ZodType<Body>) => {
    // Cloud Run sends it with every request, and it makes the log line longer.
    const headers = { traceparent: `00-${randomBytes(16).toString('hex')}-${randomBytes(8).toString('hex')}-01` };
    return call(url, { method: 'POST', path, token, body, headers }, schema);
  };
  const on = (tier: Tier, keyId: string) => (operation: string, body: object) => {
    return { operation, tier, operate: () => post(`/v1/keys/${keyId}/${operation}`, body, z.unknown()) };
  };
  const create = async (tier: Tier) => (await call(url, createRequest(token, tier), created)).id;

  const plaintext = { plaintext: Buffer.alloc(1_024).toString('base64') };
  const wrappedKey = await create('wrapped');
  const path = `/v1/keys/${wrappedKey}`;
  const { ciphertext } = await post(`${path}/encrypt`, plaintext, z.object({ ciphertext: z.string() }));
  const { wrapped } = await post(`${path}/wrap`, {}, z.object({ wrapped: z.string() }));
  const onWrapped = on('wrapped', wrappedKey);
  return [
    onWrapped('encrypt', plaintext),
    onWrapped('decrypt', { ciphertext }),
    onWrapped('wrap', {}),
    onWrapped('unwrap', { wrapped }),
    onWrapped('rewrap', { ciphertext }),
    on('software', await create('software'))('encrypt', plaintext),
    on('free', freeKey)('encrypt', plaintext),
  ];
}
