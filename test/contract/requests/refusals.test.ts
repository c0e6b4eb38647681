import { beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { ERROR_CODES } from '../../../shared/errors.ts';
import { send } from '../../support/client.ts';
import { read } from '../../support/objects.ts';
import { codesIn, documentObject } from '../../support/openapi-document.ts';
import { ownStack } from '../../support/own-stack.ts';
import { fillPath, methodOf, pathOf, ROUTES } from '../../support/route-table.ts';
import { codeOf } from '../../support/seen.ts';
import { makeWorld, refusalsOf, type World } from '../refusal-table.ts';

/**
 * Codes that a route returns only if a part of the system fails or is overloaded. fault-table.long.test.ts tests them.
 */
const FAULT_CODES = ['internal_error', 'unavailable'];
const CREDENTIALED = ROUTES.filter(({ credential }) => credential !== 'none');

const stack = ownStack();
const errorCode = z.enum(ERROR_CODES);

let world: World;
let document: z.output<typeof documentObject>;
/** The routes that have returned `rate_limited`. */
const limited = new Set<string>();

beforeAll(async () => {
  world = await makeWorld(stack);
  document = read(documentObject, await send('GET', `${stack.baseUrl}/v1/openapi.json`));
  // The firewall refuses this API key, so its requests change nothing. Each round calls every route and exceeds the
  // rate limit.
  const { token } = world.outside;
  while (limited.size < CREDENTIALED.length) {
    const flood = Array.from({ length: 5 }, () => CREDENTIALED).flat();
    await Promise.all(
      flood.map(async ({ call }) => {
        const path = fillPath(pathOf(call), world.cappedId);
        const { status } = await send(methodOf(call), `${stack.baseUrl}${path}`, { token });
        if (status === 429) limited.add(call);
      }),
    );
  }
});

test.each(ROUTES)('$call returns exactly the error codes that the OpenAPI document lists for it', async (row) => {
  const seen = new Set<string>(limited.has(row.call) ? ['rate_limited'] : []);
  for (const produce of refusalsOf(row)) seen.add(errorCode.parse(codeOf((await produce(world)).body)));
  const { responses } = document.paths[pathOf(row.call)]?.[methodOf(row.call).toLowerCase()] ?? { responses: {} };
  const listed = codesIn(document, responses).filter((code) => !FAULT_CODES.includes(code));
  expect([...seen].sort()).toEqual(listed.sort());
});
