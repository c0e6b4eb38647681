import { createLocalJWKSet, decodeJwt, jwtVerify } from 'jose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { startWorkloadIssuer, type WorkloadIssuer } from '../../emulators/identity/workload-issuer.ts';
import { portsFrom } from '../../emulators/stack/ports.ts';
import { serviceEnvironment } from '../../emulators/stack/service-environment.ts';

const NOW_S = 1_800_000_000;
let issuer: WorkloadIssuer;
beforeAll(async () => {
  issuer = await startWorkloadIssuer({ port: 0, now: () => NOW_S * 1000 });
});
afterAll(() => issuer.stop());

const read = async (path: string) => (await fetch(`${issuer.issuer}${path}`)).json();

test('the tokens of the workload issuer verify with its published keys, and follow the clock', async () => {
  const found = z
    .object({ issuer: z.string(), jwks_uri: z.string() })
    .parse(await read('/.well-known/openid-configuration'));
  expect(found).toEqual({ issuer: issuer.issuer, jwks_uri: `${issuer.issuer}/jwks` });
  const keys = createLocalJWKSet(
    z.object({ keys: z.array(z.looseObject({ kty: z.string() })) }).parse(await read('/jwks')),
  );
  const token = await issuer.mint({ audience: ['a'], claims: { sub: 'job' }, expires_in: 60 });
  const { payload } = await jwtVerify(token, keys, { currentDate: new Date(NOW_S * 1000) });
  expect(payload).toEqual({ iss: issuer.issuer, aud: ['a'], sub: 'job', iat: NOW_S, exp: NOW_S + 60 });
  expect(JSON.stringify(await read('/jwks'))).not.toContain('"d"');
});

test('a token can have any claims, which replace those of the issuer', async () => {
  const claims = { nbf: 1, iat: 2, iss: 'https://a.example', deep: { list: [null] } };
  expect(decodeJwt(await issuer.mint({ claims, expires_in: -1 }))).toEqual({ ...claims, exp: NOW_S - 1 });
});

test('an unknown path of the workload issuer is 404', async () => {
  expect((await fetch(`${issuer.issuer}/token`)).status).toBe(404);
});

test('the service of a stack accepts its own workload issuer and those of the environment', () => {
  const at = { port: 1 };
  const added = { issuer: 'https://a.example', claims: ['sub'], max_lifetime: 60 };
  const options = {
    flavour: { billing: false, console: false, wrappedRoot: true, transit: true },
    ports: portsFrom(8080),
    proxies: { kms: at, pdp: at, idp: at, stripe: at, firestore: at },
  };
  const issuersWith = (WORKLOAD_ISSUERS?: string) =>
    JSON.parse(serviceEnvironment({ ...options, inherited: { WORKLOAD_ISSUERS } }).WORKLOAD_ISSUERS ?? '');
  const own = { issuer: 'http://127.0.0.1:8084', claims: ['sub', 'repository_id'] };
  expect(issuersWith()).toEqual([own]);
  expect(issuersWith(JSON.stringify([added]))).toEqual([own, added]);
});
