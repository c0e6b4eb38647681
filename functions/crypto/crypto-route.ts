import type { z } from 'zod';
import type { InputReader } from '../../shared/http/input.ts';
import { type Cryptography, type MeteredServices, meteredRoute, operate } from '../../shared/http/operate.ts';
import type { BinaryFields, Route } from '../../shared/http/route.ts';

interface CryptoRouteSpec<Input, Result, Answer> {
  readonly summary: string;
  readonly description: string;
  readonly takes: InputReader<Input>;
  readonly answer: z.ZodType<unknown, Answer>;
  readonly view: (result: Result) => Answer;
}

/** Makes the route of a metered operation on one value per request. */
export function cryptoRoute<Input, Result, Answer extends BinaryFields>(
  cryptography: Cryptography<Input, Result>,
  { view, ...spec }: CryptoRouteSpec<Input, Result, Answer>,
): Route<MeteredServices> {
  const { operation } = cryptography;
  return meteredRoute({
    ...spec,
    id: operation,
    tag: 'Cryptography',
    method: 'POST',
    path: `/v1/keys/{id}/${operation}`,
    status: 200,
    cryptography,
    async handle(services, context) {
      const { latest } = await operate(services, context, cryptography, () => context.input);
      return { binary: view(await latest()) };
    },
  });
}
