import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Validator } from '@seriousme/openapi-schema-validator';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { CUSTOM_ROLES, GRANTS } from '../../deploy/access.ts';
import { DECISION_PORT, environmentOf, secretsOf } from '../../deploy/environment.ts';
import { FUNCTION_NAMES, FUNCTIONS, type FunctionName, functionsOf } from '../../deploy/functions.ts';
import { closedGatewayDocument, gatewayDocument } from '../../deploy/gateway.ts';
import { type Actor, accountEmail, accountId, functionAddress, serviceName } from '../../deploy/names.ts';
import { planDeployment } from '../../deploy/plan.ts';
import { readDeployment } from '../../deploy/read-deployment.ts';
import { SCHEDULES } from '../../deploy/schedules.ts';
import { routesByGroup } from '../../functions/routes.ts';
import { REQUESTS_OF_TENANT } from '../../shared/auth/in-flight.ts';
import { readConfig, STRIPE_SECRETS } from '../../shared/config.ts';
import { DEADLINES_MS } from '../../shared/deadlines.ts';
import { CLOSE_BEGINS_MS } from '../../shared/run-time.ts';
import { ROOT } from '../sources.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { EXAMPLE, WITHOUT_CONSOLE } from './recorded.ts';

const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');
const routes = routesByGroup({ identity: true, billing: true, transit: true, sealing: true });
/** Whether a function may change resources in the KMS. */
const writesToKms = (name: FunctionName) =>
  Object.entries(CUSTOM_ROLES).some(
    ([role, permissions]) =>
      permissions.some((permission) => /\.(create|destroy)$/.test(permission)) &&
      GRANTS.some((grant) => grant.role === role && grant.actors.includes(name)),
  );
/** Whether a function may encrypt or decrypt in the KMS. */
const usesKms = (name: FunctionName) =>
  GRANTS.some(({ role, actors }) => /\.cryptoKey(En|De)crypter/.test(role) && actors.includes(name));
const routesOf = (name: string) => routes.get(name) ?? [];

const LOCAL_ONLY = /_EMULATOR_(HOST|URL)$/;
/** Only the functions that use these secrets get them. */
const SECRETS: readonly string[] = STRIPE_SECRETS;
const known = [...read('shared/config.ts').matchAll(/^ {2}([A-Z][A-Z0-9_]*): /gm)].map(([, name = '']) => name);

test.for(FUNCTION_NAMES)('the function %s gets every variable of the configuration that it uses', (name) => {
  const given = [...Object.keys(environmentOf(EXAMPLE, name)), ...secretsOf(EXAMPLE, name)];
  const isExpected = (variable: string) =>
    !LOCAL_ONLY.test(variable) &&
    (variable !== 'CLOSED' || name === 'router' || name === 'seal-audit') &&
    // Without a domain, there is no load balancer.
    variable !== 'BALANCER_SECRET' &&
    (variable !== 'KMS_WRITES_PER_MINUTE' || writesToKms(name)) &&
    (variable !== 'KMS_OPERATIONS_PER_SECOND' || usesKms(name)) &&
    (!SECRETS.includes(variable) || FUNCTIONS[name].secrets.some((secret) => secret === variable));
  // NODE_OPTIONS is for Node, not for the service. Cloud Run itself sets K_SERVICE.
  expect([...given, 'K_SERVICE'].sort()).toEqual(['NODE_OPTIONS', ...known.filter(isExpected)].sort());
});

test.for([
  ['with console and billing', EXAMPLE, true],
  ['without console and billing', WITHOUT_CONSOLE, false],
] as const)('functions can read the configuration of a deployment %s', ([, deployment, hasConsole]) => {
  for (const name of FUNCTION_NAMES) {
    const secrets = Object.fromEntries(secretsOf(deployment, name).map((variable) => [variable, 'secret']));
    const own = { CLOSED: 'true', K_SERVICE: serviceName(name) };
    const config = readConfig({ ...environmentOf(deployment, name), ...secrets, ...own });
    expect(config.identity !== undefined).toBe(hasConsole);
    expect(config.billing !== undefined).toBe(hasConsole);
    expect(config.credentialHeader).toBe('x-forwarded-authorization');
    expect(config.keyRing).not.toBe(config.wrappedRoot?.split('/cryptoKeys/')[0]);
  }
});

test.for([
  ['100 writes a minute', 'kmsWritesPerMinute', 90],
  ['500 HSM operations a second, the smallest', 'kmsOperationsPerSecond', 450],
] as const)('all instances together stay below the KMS quota of %s', ([, share, most]) => {
  const shares = FUNCTION_NAMES.map((name) => FUNCTIONS[name].instances[1] * (FUNCTIONS[name][share] ?? 0));
  expect(shares.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(most);
});

test('the policy decision point listens on the port that the functions call', () => {
  expect(read('policies/Dockerfile')).toContain(`server.httpListenAddr=:${DECISION_PORT}`);
  expect(environmentOf(EXAMPLE, 'crypto').POLICY_DECISION_URL).toBe(`http://127.0.0.1:${DECISION_PORT}`);
});

const JOBS = ['close-month', 'destroy-due-keys', 'seal-audit'];

test('the table of functions has every group of routes, the router and every scheduled function', () => {
  expect(functionsOf('gateway').toSorted()).toEqual([...routes.keys(), 'router'].sort());
  expect(functionsOf('scheduler').toSorted()).toEqual(JOBS);
});

test.for(FUNCTION_NAMES)('the function %s has a policy decision point exactly if its routes need one', (name) => {
  const asks = routesOf(name).some(
    ({ refuses, path }) =>
      refuses.includes('action_not_allowed') || refuses.includes('role_not_allowed') || path === '/health/ready',
  );
  expect(FUNCTIONS[name].decisionPoint).toBe(asks);
});

test.for(FUNCTION_NAMES)('the function %s has memory for all API keys that it may check at once', (name) => {
  const checks = routesOf(name).some(({ credential }) => !['none', 'signature'].includes(credential));
  expect(FUNCTIONS[name].memoryMiB).toBeGreaterThanOrEqual(checks ? 32 * 19 + 256 : 256);
});

test.for(functionsOf('gateway'))('the function %s accepts more requests at once than one tenant may send', (name) => {
  expect(FUNCTIONS[name].concurrency).toBeGreaterThan(REQUESTS_OF_TENANT.runningPerOwner);
});

test.for(FUNCTION_NAMES)('the names that are derived from the function %s are within Google’s limits', (name) => {
  expect(accountId(name)).toMatch(/^[a-z][a-z0-9-]{4,28}[a-z0-9]$/);
  // Cloud Run assigns the deterministic address only if its first label fits into DNS’s 63 characters.
  expect(new URL(functionAddress(EXAMPLE, name)).hostname.split('.')[0]?.length).toBeLessThanOrEqual(63);
});

test('the schedules call every function of the scheduler, and each ends within the scheduler’s time limit', () => {
  const called = [...new Set(Object.values(SCHEDULES).map(({ calls }) => calls))].sort();
  expect(called).toEqual(JOBS);
  for (const name of called) expect(FUNCTIONS[name].timeoutSeconds).toBeLessThanOrEqual(1_800);
});

test('close-month begins no tenant’s invoice so late that the function’s timeout could interrupt the invoice', () => {
  expect(FUNCTIONS['close-month'].timeoutSeconds * 1000 - CLOSE_BEGINS_MS).toBeGreaterThanOrEqual(
    10 * DEADLINES_MS.stripe,
  );
});

test('no month is closed in the first 15 minutes of the next month', () => {
  const minutes = Object.values(SCHEDULES).flatMap(({ calls, cron }) => {
    const [minute = '', hour = ''] = cron.split(' ');
    return calls === 'close-month' && hour === '0' ? [Number.parseInt(minute, 10)] : [];
  });
  expect(minutes).toEqual([15]);
});

test.for([
  ['an invalid project', { project: 'A' }, 'project: must be a Google Cloud project ID'],
  ['a project number that is not a string', { projectNumber: 1 }, 'projectNumber:'],
  ['an invalid region', { region: 'mars/1' }, 'region: must be a Google Cloud location'],
  ['a comma, which would end a list', { consoleOrigin: 'https://a,b' }, 'consoleOrigin: must not contain a comma'],
  ['a value for bash', { identity: { issuer: '$HOME', audience: 'a', jwksUrl: 'b' } }, 'identity.issuer: must'],
  ['billing without a console', { consoleOrigin: undefined }, 'billing: needs consoleOrigin'],
  ['billing without an identity provider', { identity: undefined }, 'deployment.json: billing: needs identity'],
  [
    'an origin with a path',
    { consoleOrigin: 'https://a.example/' },
    'deployment.json: consoleOrigin: must be an origin',
  ],
  ['a log name in capitals', { auditOrigin: 'Example.com' }, 'deployment.json: auditOrigin: must be a host name'],
  ['an endpoint that is no URL', { metricsEndpoint: 'a.example' }, 'deployment.json: metricsEndpoint: Invalid URL'],
  [
    'an audience of workloads for people',
    { identity: { ...EXAMPLE.identity, audience: 'urn:uuid:1' } },
    'deployment.json: identity.audience: must not begin with urn:uuid:',
  ],
  [
    'a claim that the service checks itself',
    { workloadIssuers: [{ issuer: 'https://a.example', claims: ['aud'] }] },
    'deployment.json: workloadIssuers: .0.claims.0 must not be a claim that the service checks itself',
  ],
  ['an unknown setting', { colour: 'red' }, 'Unrecognized key: "colour"'],
  ['no valid JSON', undefined, 'deployment.json: not valid JSON: '],
] as const)('a deployment file is refused if it has %s', ([, change, message]) => {
  const file = join(temporaryFolder('deployment'), 'deployment.json');
  writeFileSync(file, change === undefined ? '{ "project": }' : JSON.stringify({ ...EXAMPLE, ...change }));
  expect(() => readDeployment(file)).toThrow(message);
});

const bindings = planDeployment(EXAMPLE)
  .flatMap((step) => ('create' in step ? [step.create] : []))
  .filter((words) => words.includes('add-iam-policy-binding'));

/** Returns the accounts to which the commands grant a matching role on a matching resource. */
function holders(role: RegExp, on: RegExp): string[] {
  const found = bindings.filter((words) => on.test(words.join(' ')) && words.some((word) => role.test(word)));
  const members = found.flatMap((words) => words.filter((word) => word.startsWith('--member=')));
  return [...new Set(members.map((word) => word.replace('--member=serviceAccount:', '')))].sort();
}

function accounts(...actors: Actor[]): string[] {
  return actors.map((actor) => accountEmail(EXAMPLE, actor)).sort();
}

test.for([
  ['decrypt with tenants’ CryptoKeys', /Decrypter$/, /encryption-tenants/, ['crypto', 'transit']],
  ['unwrap data keys', /Decrypter$/, /wrapped-root/, ['crypto', 'transit']],
  ['wrap data keys', /Encrypter$/, /wrapped-root/, ['keys', 'transit']],
  ['create CryptoKeys', /encryptionKeyMaker$/, /encryption-tenants/, ['keys', 'transit']],
  ['destroy versions', /encryptionKeyDestroyer$/, /./, ['destroy-due-keys', 'keys', 'transit']],
  ['sign audit logs', /signer/i, /./, ['seal-audit']],
  ['read the public key of audit logs', /publicKeyViewer$/, /audit-signing/, ['reports', 'seal-audit']],
  ['read the secret key of Stripe', /./, /stripe-secret-key/, ['billing', 'close-month']],
  ['read the secret of webhooks', /./, /stripe-webhook-secret/, ['billing']],
  [
    'call the functions that serve tenants',
    /run\.invoker$/,
    /encryption-(keys|crypto|reports|console|billing|transit|health|router) /,
    ['gateway'],
  ],
  [
    'call the scheduled functions',
    /run\.invoker$/,
    /encryption-(destroy-due-keys|close-month|seal-audit) /,
    ['scheduler'],
  ],
] as const)('only the intended accounts may %s', ([, role, on, actors]) => {
  expect(holders(role, on)).toEqual(accounts(...actors));
});

test('no account is owner, editor, viewer or an admin, and no resource is public', () => {
  expect(holders(/roles\/(owner|editor|viewer|.*admin)$/i, /./)).toEqual([]);
  expect(bindings.flat().join(' ')).not.toMatch(/allUsers|allAuthenticatedUsers/);
});

test('the deployment grants roles on the whole project only for Firestore and for builds', () => {
  const inProject = GRANTS.filter(({ on }) => on === 'project').map(({ role }) => role);
  expect(inProject.sort()).toEqual(['roles/datastore.user', 'roles/datastore.viewer', 'roles/run.builder']);
});

test('no custom role permits the use of a CryptoKey or the granting of access', () => {
  expect(Object.values(CUSTOM_ROLES).flat().join()).not.toMatch(/useTo|setIamPolicy|\*/);
});

test('the settings of each function name the only account that may call the function: the gateway’s or the scheduler’s', () => {
  for (const name of FUNCTION_NAMES) {
    const caller = functionsOf('gateway').includes(name) ? 'gateway' : 'scheduler';
    expect(environmentOf(EXAMPLE, name).INVOKER_SERVICE_ACCOUNT).toBe(accountEmail(EXAMPLE, caller));
  }
});

test('a function gets only the secrets that it may read, and no secret as an ordinary environment variable', () => {
  const given = FUNCTION_NAMES.flatMap((name) => secretsOf(EXAMPLE, name).map((secret) => `${name} ${secret}`));
  expect(given).toEqual([
    'billing STRIPE_SECRET_KEY',
    'billing STRIPE_WEBHOOK_SECRET',
    'close-month STRIPE_SECRET_KEY',
  ]);
  for (const name of FUNCTION_NAMES)
    expect(Object.keys(environmentOf(EXAMPLE, name))).not.toContain('STRIPE_SECRET_KEY');
});

const backend = z.object({
  ...{ address: z.string(), jwt_audience: z.string(), deadline: z.number() },
  path_translation: z.literal('APPEND_PATH_TO_ADDRESS'),
});
const operation = z.object({ operationId: z.string(), 'x-google-backend': backend });
const shape = z.object({ paths: z.record(z.string(), z.record(z.string(), operation)) });

const document = gatewayDocument((name) => `\${${name}}`);
const { paths } = shape.parse(document);
const { '/{path=**}': rest = {}, ...routed } = paths;

test('the gateway of a closed service sends every path and method to the router', () => {
  expect(shape.parse(closedGatewayDocument((name) => `\${${name}}`)).paths).toEqual({ '/{path=**}': rest });
});

test('the gateway document is valid OpenAPI 2.0', async () => {
  const validator = new Validator();
  expect(await validator.validate(structuredClone(document))).toEqual({ valid: true });
  expect(validator.version).toBe('2.0');
});

test('the gateway sends each function exactly the requests for its group of routes, including HEAD requests for GET routes', () => {
  const table = [...routes].flatMap(([group, routes]) =>
    routes.flatMap(({ method, path }) =>
      (method === 'GET' ? ['GET', 'HEAD'] : [method]).map((served) => `${served} ${path} -> \${${group}}`),
    ),
  );
  const sent = Object.entries(routed).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([method, { 'x-google-backend': to }]) => `${method.toUpperCase()} ${path} -> ${to.address}`,
    ),
  );
  expect(sent.sort()).toEqual(table.sort());
});

test('the gateway sends requests that match no route to the router', () => {
  expect(Object.keys(rest).sort()).toEqual(['delete', 'get', 'head', 'options', 'patch', 'post', 'put']);
  for (const { 'x-google-backend': to } of Object.values(rest)) expect(to.address).toBe(`\${router}`);
});

test('the ID token that the gateway sends to a function has that function’s address as its audience', () => {
  for (const methods of Object.values(paths)) {
    for (const { 'x-google-backend': to } of Object.values(methods)) expect(to.jwt_audience).toBe(to.address);
  }
});

test('every operation has a unique id', () => {
  const ids = Object.values(paths).flatMap((methods) => Object.values(methods).map((one) => one.operationId));
  expect(new Set(ids).size).toBe(ids.length);
});
