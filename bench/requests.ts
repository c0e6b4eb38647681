import { z } from 'zod';
import { call } from './http-client.ts';
import type { RepeatedRequest } from './measure.ts';
import type { MeasuredKey, Pair } from './pair.ts';

/**
 * The operations to measure. `encrypt (Transit)` is `encrypt` through the Transit route, which identifies the key by
 * name.
 */
export const OPERATIONS = ['encrypt', 'encrypt (Transit)', 'decrypt', 'rewrap', 'wrap', 'unwrap'] as const;
export type MeasuredOperation = (typeof OPERATIONS)[number];

/**
 * Returns a request for each operation. First encrypts a value and wraps a data key, because the other operations need
 * them as input.
 */
export async function prepareRequests(
  { service, token }: Pair,
  { id, name }: MeasuredKey,
  plaintext: Buffer,
): Promise<Record<MeasuredOperation, RepeatedRequest>> {
  const on = (operation: string, body: string) => ({ path: `/v1/keys/${id}/${operation}`, body });
  const post = <Body>({ path, body }: RepeatedRequest, schema: z.ZodType<Body>) =>
    call(service.url, { method: 'POST', path, token, raw: body }, schema);
  const encrypt = on('encrypt', plaintextBody(plaintext));
  const wrap = on('wrap', '{}');
  const opening = JSON.stringify(await post(encrypt, z.object({ ciphertext: z.string() })));
  const { wrapped } = await post(wrap, z.object({ wrapped: z.string() }));
  return {
    encrypt,
    'encrypt (Transit)': { ...encrypt, path: `/v1/transit/encrypt/${name}` },
    decrypt: on('decrypt', opening),
    rewrap: on('rewrap', opening),
    wrap,
    unwrap: on('unwrap', JSON.stringify({ wrapped })),
  };
}

/** Returns a body for `encrypt`. The baseline accepts the same body. */
export function plaintextBody(plaintext: Buffer): string {
  return JSON.stringify({ plaintext: plaintext.toString('base64') });
}
