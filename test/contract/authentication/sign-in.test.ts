import { expect, inject, test } from 'vitest';
import { portsOf, workloadIssuerOf } from '../../../emulators/stack/ports.ts';
import { CONSOLE_AUDIENCE, CONSOLE_SCOPE } from '../../../emulators/stack/service-environment.ts';
import { send, text } from '../../support/client.ts';

const stack = inject('stack');

test('GET /v1/sign-in needs no credential, and returns the issuer, client, scopes, audience and workload issuers', async () => {
  const answer = await send('GET', `${stack.baseUrl}/v1/sign-in`);
  expect(answer.body).toEqual({
    issuer: expect.any(String),
    client_id: 'console',
    scope: CONSOLE_SCOPE,
    audience: CONSOLE_AUDIENCE,
    workload_issuers: [{ issuer: workloadIssuerOf(portsOf(stack)), claims: ['sub', 'repository_id'] }],
  });
  const issuer = text(answer, 'issuer');
  const provider = await (await fetch(`${issuer}/.well-known/openid-configuration`)).json();
  expect(provider).toMatchObject({
    issuer,
    scopes_supported: expect.arrayContaining(CONSOLE_SCOPE.split(' ')),
  });
});
