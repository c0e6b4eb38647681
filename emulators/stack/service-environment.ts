import { PROJECT_ID } from '../base/project.ts';
import { consoleClientId } from '../identity/access-token.ts';
import type { ProxiedPart } from './faults.ts';
import type { Flavour } from './flavour.ts';
import { consoleOriginOf, type Ports } from './ports.ts';

/** The key ring of the tenants' CryptoKeys. */
export const KEY_RING = `projects/${PROJECT_ID}/locations/local/keyRings/tenants`;
/** The CryptoKey that wraps the data keys of `free` and `wrapped` keys. */
export const WRAPPED_ROOT = `${KEY_RING}/cryptoKeys/wrapped-root`;
/** The service's share of the KMS's operations. */
export const KMS_OPERATIONS_PER_SECOND = '300';
/** The CryptoKeyVersion that signs the audit logs, and what the logs' names begin with. */
export const AUDIT_SIGNING_KEY = `${KEY_RING}/cryptoKeys/audit-signing/cryptoKeyVersions/1`;
export const AUDIT_ORIGIN = 'encryption-service.local';
/** The audience of the console's access tokens. */
export const CONSOLE_AUDIENCE = 'encryption-service';
/** What the console asks the identity provider for. */
export const CONSOLE_SCOPE = 'openid email profile';
/** The secrets that Stripe and the service share. */
export const STRIPE_SECRETS = { secretKey: 'sk_test_local', webhookSecret: 'whsec_local' };
/** The price of the service's subscriptions. */
export const PRICE_ID = 'price_local';

/** What {@link serviceEnvironment} is made of. */
export interface EnvironmentOptions {
  readonly inherited: NodeJS.ProcessEnv;
  readonly flavour: Flavour;
  readonly ports: Ports;
  readonly proxies: Readonly<Record<ProxiedPart, { readonly port: number }>>;
}

/** Variables that are never inherited: a person's may name something real. */
const OWN_NAMES = [
  'GOOGLE_CLOUD_PROJECT',
  'KMS_KEY_RING',
  'WRAPPED_ROOT',
  'TRANSIT',
  'CLOSED',
  'DEADLINES',
  'AUDIT_SIGNING_KEY',
  'AUDIT_ORIGIN',
  'POLICY_DECISION_URL',
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
  // Set only on Cloud Run, where the service refuses the addresses of emulators.
  'K_SERVICE',
];

/** The service's environment. Every address but the issuer's is a port of `proxies`: of a stack, its fault proxies. */
export function serviceEnvironment(options: EnvironmentOptions): NodeJS.ProcessEnv {
  const { flavour, ports, proxies } = options;
  const inherited = Object.entries(options.inherited).filter(([name]) => !OWN_NAMES.includes(name));
  return {
    ...Object.fromEntries(inherited),
    HOST: '127.0.0.1',
    // Every address is local: no HTTP proxy, and no search for Google's metadata server.
    NO_PROXY: '127.0.0.1,localhost',
    no_proxy: '127.0.0.1,localhost',
    METADATA_SERVER_DETECTION: 'none',
    GOOGLE_CLOUD_PROJECT: PROJECT_ID,
    KMS_KEY_RING: KEY_RING,
    KMS_OPERATIONS_PER_SECOND,
    ...(flavour.wrappedRoot && { WRAPPED_ROOT }),
    ...(flavour.transit && { TRANSIT: 'on' }),
    ...(flavour.closed && { CLOSED: 'true' }),
    ...(flavour.shortDeadlines && { DEADLINES: 'short' }),
    AUDIT_SIGNING_KEY,
    AUDIT_ORIGIN,
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
