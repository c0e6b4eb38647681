import { beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { ERROR_CODES } from '../../../shared/errors.ts';
import { fillPath, methodOf, pathOf } from '../../support/calls.ts';
import { outcome, send } from '../../support/client.ts';
import { read } from '../../support/objects.ts';
import { codesIn, documentObject } from '../../support/openapi-document.ts';
import { ownStack } from '../../support/own-stack.ts';
import { ROUTES, TABLE } from '../../support/route-table.ts';
import { codeOf } from '../../support/seen.ts';
import { DEPLOYED } from '../../support/stacks.ts';
import { emptyBucket, mendStack } from '../../support/steer.ts';
import { makeWorld, refusalsOf, type World } from '../refusal-table.ts';

/**
 * Codes that a route returns only if a part of the system fails or is overloaded. fault-table.long.test.ts tests them.
 * Deployed functions cannot hold their rate limit.
 */
const FAULT_CODES = ['internal_error', 'unavailable', ...(DEPLOYED ? ['rate_limited'] : [])];
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
  if (DEPLOYED) return;
  await emptyBucket(world.outside);
  for (const { call } of CREDENTIALED) {
    const answer = await world.outside.send(methodOf(call), fillPath(pathOf(call), world.cappedId));
    if (outcome(answer) === '429 rate_limited') limited.add(call);
  }
  await mendStack(stack);
});

test.skipIf(DEPLOYED)(
  'every operation with a credential returns rate_limited to an API key that has used up its requests',
  () => {
    expect([...limited].sort()).toEqual(CREDENTIALED.map(({ call }) => call).sort());
  },
);

test.each(TABLE)('$call returns exactly the error codes that the OpenAPI document lists for it', async (row) => {
  const seen = new Set<string>(limited.has(row.call) ? ['rate_limited'] : []);
  for (const produce of refusalsOf(row)) seen.add(errorCode.parse(codeOf((await produce(world)).body)));
  const { responses } = document.paths[pathOf(row.call)]?.[methodOf(row.call).toLowerCase()] ?? { responses: {} };
  const listed = codesIn(document, responses).filter((code) => !FAULT_CODES.includes(code));
  expect([...seen].sort()).toEqual(listed.sort());
});
