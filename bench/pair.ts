import { z } from 'zod';
import { type SeparateStack, startSeparateStack } from '../emulators/stack/separate.ts';
import { call, type RepeatedRequest } from './load.ts';
import { environment, type Server, sparePort, startBaseline, startService } from './servers.ts';
import { demoOf } from './tenant.ts';

export const TIERS = ['wrapped', 'software'] as const;

export interface MeasuredKey {
  readonly tier: (typeof TIERS)[number];
  readonly id: string;
  readonly name: string;
}

/** The service and the baseline, both on the emulators of the same new stack. */
export interface Pair {
  readonly stack: SeparateStack;
  readonly service: Server;
  readonly baseline: Server;
  /** The token of an API key with all actions. */
  readonly token: string;
  readonly keys: Readonly<Record<MeasuredKey['tier'], MeasuredKey>>;
  stop(): Promise<void>;
}

export async function startPair(): Promise<Pair> {
  const stack = await startSeparateStack();
  const { api_key: token } = await demoOf(stack);
  const [service, baseline] = await Promise.all([
    startService(environment(stack), sparePort(stack, 0)),
    startBaseline(environment(stack), sparePort(stack, 1)),
  ]);
  const makeKey = async (tier: MeasuredKey['tier']): Promise<MeasuredKey> => {
    const name = `bench-${tier}`;
    const request = { method: 'POST', path: '/v1/keys', token, body: { name, tier } };
    const { id } = await call(service.url, request, z.object({ id: z.string() }));
    return { tier, id, name };
  };
  return {
    stack,
    service,
    baseline,
    token,
    keys: { wrapped: await makeKey('wrapped'), software: await makeKey('software') },
    async stop() {
      await Promise.allSettled([service.stop(), baseline.stop()]);
      await stack.stop();
    },
  };
}

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
