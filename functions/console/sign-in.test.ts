import { expect } from 'vitest';
import { portsOf, workloadIssuerOf } from '../../emulators/stack/ports.ts';
import { CONSOLE_AUDIENCE, CONSOLE_SCOPE } from '../../emulators/stack/service-environment.ts';
import { send, text } from '../../test/support/client.ts';
import { operation, test } from '../../test/support/operation.ts';

operation({ call: 'GET /v1/sign-in', credential: 'none', good: '200', dependencies: [], request: () => ({}) }, () => {
  test('the sign-in settings name the issuer, client, scopes, audience and workload issuers', async ({ stack }) => {
    const answer = await send('GET', `${stack.baseUrl}/v1/sign-in`);
    const issuer = text(answer, 'issuer');
    expect(answer.body).toEqual({
      ...{ issuer, client_id: 'console', scope: CONSOLE_SCOPE, audience: CONSOLE_AUDIENCE },
      workload_issuers: [{ issuer: workloadIssuerOf(portsOf(stack)), claims: ['sub', 'repository_id'] }],
    });
    const provider = await (await fetch(`${issuer}/.well-known/openid-configuration`)).json();
    expect(provider).toMatchObject({
      issuer,
      scopes_supported: expect.arrayContaining(CONSOLE_SCOPE.split(' ')),
    });
  });
});
