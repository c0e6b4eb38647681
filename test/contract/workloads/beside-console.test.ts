import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { CONSOLE_AUDIENCE } from '../../../emulators/stack/service-environment.ts';
import { control, outcome, text } from '../../support/client.ts';
import { type SecondService, signInSettings } from '../../support/second-service.ts';
import { Client, makeTenant, type Tenant } from '../../support/tenant.ts';
import { startWithIssuers, workloadToken } from '../../support/workloads.ts';

/* Tests of a service whose identity provider is a workload issuer too, and of console tokens beside other issuers. */
const stack = inject('stack');
const { IDENTITY_ISSUER } = signInSettings(stack);
let tenant: Tenant;
let service: SecondService;
let id: string;

beforeAll(async () => {
  tenant = await makeTenant(stack);
  const issuers = [{ issuer: IDENTITY_ISSUER, claims: ['sub'] }];
  service = await startWithIssuers(stack, issuers, signInSettings(stack));
  const federations = [{ issuer: IDENTITY_ISSUER, claims: { sub: 'job' } }];
  const console = new Client(service, tenant.console.token);
  id = text(await console.send('POST', '/v1/api-keys', { name: 'ci', federations }), 'id');
});
afterAll(() => service.stop());

const token = async (request: object) => text(await control(stack, 'POST', '/tokens', request), 'access_token');
const call = async (token: string) => (await new Client(service, token).send('GET', '/v1/caller')).body;

test('a token of the identity provider whose audience is an API key is a workload’s', async () => {
  const job = await token({ sub: 'job', audience: `urn:uuid:${id}` });
  expect(await call(job)).toMatchObject({ kind: 'api_key', id, workload: { issuer: IDENTITY_ISSUER, subject: 'job' } });
});

test('a token of the identity provider with the audience of the console is a person’s', async () => {
  const person = await token({ sub: tenant.subject, audience: CONSOLE_AUDIENCE });
  expect(await call(person)).toMatchObject({ kind: 'session', workload: null });
});

test('a token of another workload issuer is never tried as a person’s', async () => {
  const foreign = await workloadToken(stack, id, { sub: tenant.subject });
  expect(outcome(await new Client(service, foreign).send('GET', '/v1/me'))).toBe('401 unauthorized');
  const asConsole = await control(stack, 'POST', '/workload-tokens', {
    audience: CONSOLE_AUDIENCE,
    claims: { sub: tenant.subject },
  });
  expect(outcome(await tenant.console.send('GET', '/v1/me'))).toBe('200');
  const onStack = new Client(stack, text(asConsole, 'token'));
  expect(outcome(await onStack.send('GET', '/v1/me'))).toBe('401 unauthorized');
});
