import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { outcome, send } from '../../support/client.ts';
import { assemble, goodClaims, type ServiceOfOwnIssuer, signed, startWithOwnIssuer } from '../../support/tokens.ts';

let service: ServiceOfOwnIssuer;
beforeAll(async () => {
  service = await startWithOwnIssuer(inject('stack'));
});
afterAll(() => service.stop());

const good = goodClaims(randomUUID());
const ask = (token: string) => send('GET', `${service.baseUrl}/v1/me`, { token });

test('a token that no key could verify does not make the service fetch the provider’s keys', async () => {
  const noSignature = () => Buffer.alloc(0);
  for (const token of [
    'x',
    'a.b.c',
    assemble({ alg: 'none' }, good, noSignature),
    assemble('header', good, noSignature),
  ]) {
    expect(outcome(await ask(token))).toBe('401 unauthorized');
  }
  expect(service.fetches()).toBe(0);
});

test('a flood of tokens with unknown key ids makes the service fetch the provider’s keys only once', async () => {
  const flood = Array.from({ length: 200 }, () => ask(signed(good, { kid: randomUUID() })));
  expect(new Set((await Promise.all(flood)).map(outcome))).toEqual(new Set(['401 unauthorized']));
  for (let one = 1; one <= 20; one++) await ask(signed(good, { kid: randomUUID() }));
  expect(service.fetches()).toBe(1);
  expect((await ask(signed(good))).status).toBe(200);
  expect(service.fetches()).toBe(1);
});
