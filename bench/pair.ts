import { z } from 'zod';
import { type SeparateStack, startSeparateStack } from '../emulators/stack/separate.ts';
import type { Server } from './child.ts';
import { call } from './http-client.ts';
import { environment, sparePort, startBaseline, startService } from './servers.ts';
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
