import { PROJECT_ID } from '../base/repository.ts';
import { consoleClientId } from '../identity/tokens.ts';
import type { ProxiedPart } from './faults.ts';
import { consoleOriginOf, type Ports, portsOf, workloadIssuerOf } from './ports.ts';
import type { Flavour } from './stack.ts';

export const KEY_RING = `projects/${PROJECT_ID}/locations/local/keyRings/tenants`;
/** The CryptoKey that wraps the data keys of `free` and `wrapped` keys. */
export const WRAPPED_ROOT = `${KEY_RING}/cryptoKeys/wrapped-root`;
/** The limit on the service's KMS operations. */
export const KMS_OPERATIONS_PER_SECOND = '300';
/** The version of the key that signs the audit logs. `AUDIT_ORIGIN` is the prefix of the logs' names. */
export const AUDIT_SIGNING_KEY = `${KEY_RING}/cryptoKeys/audit-signing/cryptoKeyVersions/1`;
export const AUDIT_ORIGIN = 'encryption-service.local';
export const CONSOLE_AUDIENCE = 'encryption-service';
export const CONSOLE_SCOPE = 'openid email profile';
/** Each federation with the stack's workload issuer must have one of these claims. */
const WORKLOAD_CLAIMS = ['sub', 'repository_id'];
export const STRIPE_SECRETS = { secretKey: 'sk_test_local', webhookSecret: 'whsec_local' };
export const PRICE_ID = 'price_local';

interface EnvironmentOptions {
  readonly inherited: NodeJS.ProcessEnv;
  readonly flavour: Flavour;
  readonly ports: Ports;
  readonly proxies: Readonly<Record<ProxiedPart, { readonly port: number }>>;
}

/**
 * Returns variables that make Google's clients reach the stack without an HTTP proxy, and not look for Google's metadata
 * server. Addresses that `inherited` excludes from its proxy stay excluded.
 */
export function localOnly(inherited: NodeJS.ProcessEnv): Record<string, string> {
  const without = ['NO_PROXY', 'no_proxy', 'no_grpc_proxy'].map((name) => {
    const excluded = inherited[name] || inherited.no_proxy || inherited.NO_PROXY;
    return [name, [...(excluded ? [excluded] : []), '127.0.0.1', 'localhost'].join(',')];
  });
  return { ...Object.fromEntries(without), METADATA_SERVER_DETECTION: 'none' };
}

/**
 * Variables that the service never inherits from the user's environment, because their values may refer to real
 * resources, or may not fit the stack.
 */
const OWN_NAMES = [
  'GOOGLE_CLOUD_PROJECT',
  'KMS_KEY_RING',
  'WRAPPED_ROOT',
  'TRANSIT',
  'CLOSED',
  'AUDIT_SIGNING_KEY',
  'AUDIT_ORIGIN',
  'POLICY_DECISION_URL',
  'WORKLOAD_ISSUERS',
  'IDENTITY_ISSUER',
  'IDENTITY_AUDIENCE',
  'IDENTITY_JWKS_URL',
  'IDENTITY_TOKEN_TYPE',
  'IDENTITY_SCOPE',
  'CONSOLE_CLIENT_ID',
  'CONSOLE_ORIGIN',
  'STRIPE_SECRET_KEY',
  'STRIPE_WEBHOOK_SECRET',
  'STRIPE_PRICE_ID',
  'FIRESTORE_EMULATOR_HOST',
  'KMS_EMULATOR_HOST',
  'STRIPE_EMULATOR_HOST',
  'INVOKER_SERVICE_ACCOUNT',
  'INVOKER_AUDIENCE',
  'INVOKER_KEYS_EMULATOR_URL',
  'FUNCTION_TARGET',
  'TRUSTED_PROXY_HOPS',
  'BALANCER_SECRET',
  'CREDENTIAL_HEADER',
  'KMS_OPERATIONS_PER_SECOND',
  'KMS_WRITES_PER_MINUTE',
  'OTEL_EXPORTER_OTLP_METRICS_ENDPOINT',
  // This variable is set only on Cloud Run. With it, the service refuses the addresses of emulators.
  'K_SERVICE',
];

/** Returns the issuers that the user's environment adds to the stack's own. Throws an `Error` unless they are a list. */
function additionalIssuers({ WORKLOAD_ISSUERS: text }: NodeJS.ProcessEnv): unknown[] {
  const issuers: unknown = text ? JSON.parse(text) : [];
  if (!Array.isArray(issuers)) throw new Error('WORKLOAD_ISSUERS: must be a list');
  return issuers;
}

/** Returns the service's environment. Every address in it leads to a fault proxy, except those of issuers. */
export function serviceEnvironment(options: EnvironmentOptions): NodeJS.ProcessEnv {
  const { flavour, ports, proxies } = options;
  const inherited = Object.entries(options.inherited).filter(([name]) => !OWN_NAMES.includes(name));
  return {
    ...Object.fromEntries(inherited),
    ...localOnly({}),
    GOOGLE_CLOUD_PROJECT: PROJECT_ID,
    KMS_KEY_RING: KEY_RING,
    KMS_OPERATIONS_PER_SECOND,
    ...(flavour.wrappedRoot && { WRAPPED_ROOT }),
    ...(flavour.transit && { TRANSIT: 'on' }),
    ...(flavour.closed && { CLOSED: 'true' }),
    ...(flavour.shortDeadlines && { DEADLINES: 'short' }),
    AUDIT_SIGNING_KEY,
    AUDIT_ORIGIN,
    WORKLOAD_ISSUERS: JSON.stringify([
      { issuer: workloadIssuerOf(ports), claims: WORKLOAD_CLAIMS },
      ...additionalIssuers(options.inherited),
    ]),
    POLICY_DECISION_URL: `http://127.0.0.1:${proxies.pdp.port}`,
    ...(flavour.console && {
      IDENTITY_ISSUER: `http://127.0.0.1:${ports.identity}`,
      IDENTITY_AUDIENCE: CONSOLE_AUDIENCE,
      IDENTITY_JWKS_URL: `http://127.0.0.1:${proxies.idp.port}/jwks`,
      IDENTITY_SCOPE: CONSOLE_SCOPE,
      CONSOLE_CLIENT_ID: consoleClientId,
      CONSOLE_ORIGIN: consoleOriginOf(ports),
    }),
    ...(flavour.billing && {
      STRIPE_SECRET_KEY: STRIPE_SECRETS.secretKey,
      STRIPE_WEBHOOK_SECRET: STRIPE_SECRETS.webhookSecret,
      STRIPE_PRICE_ID: PRICE_ID,
    }),
    FIRESTORE_EMULATOR_HOST: `127.0.0.1:${proxies.firestore.port}`,
    KMS_EMULATOR_HOST: `127.0.0.1:${proxies.kms.port}`,
    STRIPE_EMULATOR_HOST: `127.0.0.1:${proxies.stripe.port}`,
  };
}

/** The flavour of a stack that has every part. */
export const EVERYTHING = { billing: true, console: true, wrappedRoot: true, transit: true } as const;

/**
 * Returns the environment of another service that uses every part of a running stack. It can have proxies before its
 * dependencies.
 */
export function allConfigured(
  stack: { readonly baseUrl: string },
  proxies: Partial<Record<ProxiedPart, { readonly port: number }>> = {},
  inherited: NodeJS.ProcessEnv = {},
): NodeJS.ProcessEnv {
  const ports = portsOf(stack);
  const at = (port: number) => ({ port });
  const direct = { firestore: at(ports.firestore), kms: at(ports.kms), pdp: at(ports.policy) };
  const all = { ...direct, stripe: at(ports.stripe), idp: at(ports.identity), ...proxies };
  return serviceEnvironment({ inherited, flavour: EVERYTHING, ports, proxies: all });
}
