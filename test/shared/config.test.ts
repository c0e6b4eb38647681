import { expect, test } from 'vitest';
import { readConfig, readStripeSecret, STRIPE_SECRETS } from '../../shared/config.ts';
import { BILLING, IDENTITY, INVOKER, MINIMAL } from './environment.ts';

const ALL = { ...MINIMAL, ...IDENTITY, ...BILLING, ...INVOKER, CONSOLE_ORIGIN: 'https://console.example.com' };
const EMULATORS = [
  ['INVOKER_KEYS_EMULATOR_URL', 'http://127.0.0.1:8099/keys'],
  ['FIRESTORE_EMULATOR_HOST', '127.0.0.1:8085'],
  ['KMS_EMULATOR_HOST', '127.0.0.1:8086'],
  ['STRIPE_EMULATOR_HOST', '127.0.0.1:8088'],
] as const;

function without(environment: Readonly<Record<string, string>>, name: string) {
  return Object.fromEntries(Object.entries(environment).filter(([other]) => other !== name));
}

/** The message of the startup error. */
function startupErrorOf(environment: Readonly<Record<string, string>>): string {
  try {
    readConfig(environment);
  } catch (error) {
    if (error instanceof Error) return error.message;
  }
  throw new Error('the configuration was accepted');
}

test('a minimal environment has no wrapped root, console, billing or proxies', () => {
  expect(readConfig(MINIMAL)).toEqual({
    project: 'demo-project',
    keyRing: 'projects/demo-project/locations/global/keyRings/keys',
    wrappedRoot: undefined,
    policyDecisionUrl: 'http://127.0.0.1:3592',
    identity: undefined,
    workloadIssuers: [],
    billing: undefined,
    consoleOrigin: undefined,
    trustedProxyHops: 0,
    balancerSecrets: [],
    credentialHeader: 'authorization',
    transit: false,
    closed: false,
    kmsWritesPerMinute: undefined,
    kmsOperationsPerSecond: undefined,
    invoker: undefined,
    metricsEndpoint: undefined,
    kmsEmulatorHost: undefined,
    firestoreEmulatorHost: undefined,
  });
});

test('the configuration has the value of every variable that is set', () => {
  const root = `${MINIMAL.KMS_KEY_RING}/cryptoKeys/root`;
  const more = {
    WRAPPED_ROOT: root,
    CONSOLE_ORIGIN: 'https://console.example.com',
    TRUSTED_PROXY_HOPS: '2',
    KMS_WRITES_PER_MINUTE: '12',
    KMS_OPERATIONS_PER_SECOND: '40',
    OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'http://127.0.0.1:4318/v1/metrics',
    ...Object.fromEntries(EMULATORS),
  };
  expect(readConfig({ ...ALL, ...more })).toMatchObject({
    wrappedRoot: root,
    identity: {
      issuer: 'https://login.example.com',
      audience: 'https://api.example.com',
      jwksUrl: 'https://login.example.com/jwks',
      tokenType: 'at+jwt',
      clientId: 'console',
      scope: 'openid email profile',
    },
    billing: {
      priceId: 'price_1',
      returnUrl: 'https://console.example.com/billing',
      emulatorHost: '127.0.0.1:8088',
    },
    consoleOrigin: 'https://console.example.com',
    trustedProxyHops: 2,
    credentialHeader: 'x-forwarded-authorization',
    kmsWritesPerMinute: 12,
    kmsOperationsPerSecond: 40,
    invoker: {
      serviceAccount: 'gateway@demo-project.iam.gserviceaccount.com',
      audience: 'https://router-1.region.run.app',
      keysUrl: 'http://127.0.0.1:8099/keys',
      onCloudRun: false,
    },
    metricsEndpoint: 'http://127.0.0.1:4318/v1/metrics',
    kmsEmulatorHost: '127.0.0.1:8086',
    firestoreEmulatorHost: '127.0.0.1:8085',
  });
});

test('people sign in with the client ID and the scopes from the environment', () => {
  const set = { CONSOLE_CLIENT_ID: 'spa-1', IDENTITY_SCOPE: 'openid offline_access https://api.example.com/use' };
  expect(readConfig({ ...ALL, ...set }).identity).toMatchObject({
    clientId: set.CONSOLE_CLIENT_ID,
    scope: set.IDENTITY_SCOPE,
  });
});

test.each(['http://127.0.0.1:8087/jwks', 'http://[::1]:8087/jwks', 'http://localhost/jwks', 'https://192.0.2.1/jwks'])(
  'the identity provider’s keys come from this machine or over HTTPS: %s',
  (jwksUrl) => {
    expect(readConfig({ ...ALL, IDENTITY_JWKS_URL: jwksUrl }).identity?.jwksUrl).toBe(jwksUrl);
  },
);

test('each workload issuer has its claims and the longest life of a token, by default a day', () => {
  const issuers = [
    { issuer: 'https://a.example/x', claims: ['sub'] },
    { issuer: 'https://b.example', claims: ['project_id', 'namespace_id'], max_lifetime: 1 },
  ];
  expect(readConfig({ ...MINIMAL, WORKLOAD_ISSUERS: JSON.stringify(issuers) }).workloadIssuers).toEqual([
    { issuer: 'https://a.example/x', claims: ['sub'], maxLifetimeS: 86_400 },
    { issuer: 'https://b.example', claims: ['project_id', 'namespace_id'], maxLifetimeS: 1 },
  ]);
});

test('a workload issuer on this machine is accepted only beside emulators', () => {
  const WORKLOAD_ISSUERS = JSON.stringify([{ issuer: 'http://127.0.0.1:8084', claims: ['sub'] }]);
  expect(startupErrorOf({ ...MINIMAL, WORKLOAD_ISSUERS })).toContain('https');
  const local = { ...MINIMAL, WORKLOAD_ISSUERS, FIRESTORE_EMULATOR_HOST: '127.0.0.1:8085' };
  expect(readConfig(local).workloadIssuers).toHaveLength(1);
});

test.each([
  ['text', '"a"'],
  ['no JSON', '['],
  ['an unknown member', '[{"issuer":"https://a.example","claims":["sub"],"audience":"a"}]'],
  ['no claims', '[{"issuer":"https://a.example","claims":[]}]'],
  ['a claim that the service checks itself', '[{"issuer":"https://a.example","claims":["aud"]}]'],
  ['plain http', '[{"issuer":"http://a.example","claims":["sub"]}]'],
  ['a query', '[{"issuer":"https://a.example?b","claims":["sub"]}]'],
  ['a user', '[{"issuer":"https://me@a.example","claims":["sub"]}]'],
  ['a life of two days', '[{"issuer":"https://a.example","claims":["sub"],"max_lifetime":172800}]'],
  ['a life of no time', '[{"issuer":"https://a.example","claims":["sub"],"max_lifetime":0}]'],
  ['an issuer twice', `[${'{"issuer":"https://a.example","claims":["a"]},'.repeat(2).slice(0, -1)}]`],
])('WORKLOAD_ISSUERS with %s is an error', (_, WORKLOAD_ISSUERS) => {
  expect(startupErrorOf({ ...MINIMAL, WORKLOAD_ISSUERS })).toContain('WORKLOAD_ISSUERS');
});

test('the audience of access tokens cannot be one of workloads', () => {
  const IDENTITY_AUDIENCE = 'urn:uuid:123e4567-e89b-12d3-a456-426614174000';
  expect(startupErrorOf({ ...ALL, IDENTITY_AUDIENCE })).toContain('IDENTITY_AUDIENCE');
});

test('an empty variable counts as unset', () => {
  const empty = { WRAPPED_ROOT: '', STRIPE_SECRET_KEY: '', IDENTITY_ISSUER: '', K_SERVICE: '' };
  expect(readConfig({ ...MINIMAL, ...empty })).toEqual(readConfig(MINIMAL));
  expect(startupErrorOf({ ...MINIMAL, KMS_KEY_RING: '' })).toContain('KMS_KEY_RING');
});

test('unknown variables are ignored', () => {
  expect(readConfig({ ...MINIMAL, PATH: '/bin', PORT: '8080' })).toEqual(readConfig(MINIMAL));
});

test.each(Object.keys(MINIMAL))('a missing %s is an error that names the variable', (name) => {
  expect(startupErrorOf(without(MINIMAL, name))).toContain(name);
});

test('the startup error names every invalid variable', () => {
  const message = startupErrorOf({ WRAPPED_ROOT: 'x', TRUSTED_PROXY_HOPS: 'x' });
  for (const name of [...Object.keys(MINIMAL), 'WRAPPED_ROOT', 'TRUSTED_PROXY_HOPS']) expect(message).toContain(name);
});

/** Invalid values of each variable. Errors must not repeat a value. */
const INVALID: Readonly<Record<string, readonly string[]>> = {
  KMS_KEY_RING: [
    'VALUE',
    'projects/p/locations/l',
    'projects/p/locations/l/keyRings/VALUE/cryptoKeys/k',
    '/projects/p/locations/l/keyRings/VALUE',
    'projects//locations/l/keyRings/VALUE',
  ],
  WRAPPED_ROOT: [
    'VALUE',
    'projects/p/locations/l/keyRings/VALUE',
    'projects/p/locations/l/keyRings/r/cryptoKeys/VALUE/cryptoKeyVersions/1',
  ],
  POLICY_DECISION_URL: ['VALUE', 'VALUE:3592', '//VALUE'],
  IDENTITY_ISSUER: ['VALUE'],
  IDENTITY_JWKS_URL: [
    'VALUE',
    'VALUE:8087',
    'http://VALUE.example.com/jwks',
    'http://localhost.VALUE.example.com/jwks',
    'http://127.0.0.1.VALUE.example.com/jwks',
    'http://localhost@VALUE.example.com/jwks',
    'http://192.0.2.1/VALUE',
  ],
  IDENTITY_TOKEN_TYPE: ['VALUE', 'jwt'],
  IDENTITY_SCOPE: ['VALUE  openid', '"VALUE"'],
  CONSOLE_ORIGIN: ['VALUE', 'https://VALUE.example.com/', 'https://VALUE.example.com/console'],
  TRUSTED_PROXY_HOPS: ['VALUE', '-1', '1.5', '11', ' '],
  CREDENTIAL_HEADER: ['VALUE', 'Authorization'],
  KMS_WRITES_PER_MINUTE: ['VALUE', '0', '-1', '1.5'],
  KMS_OPERATIONS_PER_SECOND: ['VALUE', '0'],
  INVOKER_SERVICE_ACCOUNT: ['VALUE'],
  INVOKER_KEYS_EMULATOR_URL: ['VALUE'],
  OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: ['VALUE', 'VALUE:4318'],
  FIRESTORE_EMULATOR_HOST: ['VALUE', 'http://VALUE:8085'],
  KMS_EMULATOR_HOST: ['VALUE', 'VALUE:port'],
  STRIPE_EMULATOR_HOST: ['VALUE:'],
};
test.each(Object.entries(INVALID).flatMap(([name, values]) => values.map((value) => [name, value] as const)))(
  '%s="%s" is an error that names the variable and does not repeat its value',
  (name, value) => {
    const message = startupErrorOf({ ...ALL, [name]: value });
    expect(message).toContain(name);
    expect(message).not.toContain('VALUE');
  },
);

test.each(Object.keys(IDENTITY))('an identity provider without %s is an error', (name) => {
  expect(startupErrorOf({ ...MINIMAL, ...without(IDENTITY, name) })).toContain(name);
});

test.each(Object.keys(IDENTITY))('an identity provider that is configured with only %s is an error', (name) => {
  const only = Object.entries(IDENTITY).filter(([other]) => other === name);
  expect(startupErrorOf({ ...MINIMAL, ...Object.fromEntries(only) })).toContain('all three or none');
});

test.each(STRIPE_SECRETS)('a configuration with %s but without a price ID is an error', (name) => {
  expect(startupErrorOf({ ...MINIMAL, ...IDENTITY, [name]: 'a secret' })).toBe(
    `STRIPE_PRICE_ID: required when ${name} is set`,
  );
});

test.each(STRIPE_SECRETS)('a function that uses %s fails without it; other functions start without it', (name) => {
  const others = without(ALL, name);
  expect(readConfig(others).billing).toBeDefined();
  expect(() => readStripeSecret(others, name)).toThrow(`${name}: required`);
  expect(readStripeSecret(ALL, name)).toBe(BILLING[name]);
});

test('billing without an identity provider is an error', () => {
  expect(startupErrorOf({ ...MINIMAL, ...BILLING })).toContain('billing also needs the three IDENTITY_ variables');
});

test('billing without a console origin is an error, because payment pages send people back to it', () => {
  expect(startupErrorOf(without(ALL, 'CONSOLE_ORIGIN'))).toContain('CONSOLE_ORIGIN');
});

test('the startup error does not repeat Stripe secrets', () => {
  for (const name of Object.keys(ALL)) {
    const message = startupErrorOf({ ...without(ALL, name), TRUSTED_PROXY_HOPS: 'x' });
    for (const secret of [BILLING.STRIPE_SECRET_KEY, BILLING.STRIPE_WEBHOOK_SECRET]) {
      expect(message).not.toContain(secret);
    }
  }
});

test.each(EMULATORS)('%s=%s is an error on Cloud Run and accepted elsewhere', (name, value) => {
  expect(readConfig({ ...MINIMAL, [name]: value })).toBeDefined();
  expect(startupErrorOf({ ...ALL, [name]: value, K_SERVICE: 'router' })).toContain(name);
});

test('on Cloud Run, ID tokens are verified with Google’s keys', () => {
  const { invoker } = readConfig({ ...ALL, K_SERVICE: 'router' });
  expect(invoker).toMatchObject({ keysUrl: 'https://www.googleapis.com/oauth2/v3/certs', onCloudRun: true });
});

test.each(['INVOKER_SERVICE_ACCOUNT', 'INVOKER_AUDIENCE'])('an invoker without %s is an error', (name) => {
  expect(startupErrorOf(without({ ...MINIMAL, ...INVOKER }, name))).toContain(name);
  expect(startupErrorOf({ ...without({ ...MINIMAL, ...INVOKER }, name), K_SERVICE: 'router' })).toContain(name);
});

test('a missing invoker is an error on Cloud Run', () => {
  const { INVOKER_SERVICE_ACCOUNT, INVOKER_AUDIENCE, ...rest } = ALL;
  expect(startupErrorOf({ ...rest, K_SERVICE: 'router' })).toContain('INVOKER_SERVICE_ACCOUNT, INVOKER_AUDIENCE');
});

test('a configuration with the same header for the invoker’s token and the caller’s credential is an error', () => {
  for (const header of ['', 'authorization']) {
    expect(startupErrorOf({ ...ALL, CREDENTIAL_HEADER: header })).toContain('CREDENTIAL_HEADER');
  }
});
