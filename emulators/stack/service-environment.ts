import type { ProxiedPart } from './faults.ts';
import type { Ports } from './ports.ts';

/** The project whose name tells Google's emulators that nothing of it is real. */
export const projectId = 'demo-encryption';
/** Where the tenants' keys are. */
export const keyRing = `projects/${projectId}/locations/local/keyRings/tenants`;
/** The root that wraps data keys of `free` and `wrapped` keys. */
export const wrappedRoot = `${keyRing}/cryptoKeys/wrapped-root`;
/** The audience of console tokens. */
export const audience = 'encryption-service';
/** The only origin that the service's CORS admits. */
export const consoleOrigin = 'http://localhost:5173';
/** What Stripe and the service share. */
export const stripeSecrets = { secretKey: 'sk_test_local', webhookSecret: 'whsec_local' };
/** The price that a subscription has. */
export const priceId = 'price_local';

/** What is configured; the service has no routes for what is not. */
export type Flavour = { readonly billing: boolean; readonly console: boolean; readonly wrappedRoot: boolean };

const ownNames = [
  'GOOGLE_CLOUD_PROJECT',
  'KMS_KEY_RING',
  'WRAPPED_ROOT',
  'POLICY_DECISION_URL',
  'IDENTITY_ISSUER',
  'IDENTITY_AUDIENCE',
  'IDENTITY_JWKS_URL',
  'IDENTITY_TOKEN_TYPE',
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
  // Set on Cloud Run alone, where the service refuses what follows.
  'K_SERVICE',
];

/** The service's environment. Every address but the issuer's leads where `proxies` says: through the fault proxies of a stack. */
export function serviceEnvironment(options: {
  inherited: NodeJS.ProcessEnv;
  flavour: Flavour;
  ports: Ports;
  proxies: Readonly<Record<ProxiedPart, { readonly port: number }>>;
}): NodeJS.ProcessEnv {
  const { flavour, ports, proxies } = options;
  const inherited = Object.entries(options.inherited).filter(([name]) => !ownNames.includes(name));
  return {
    ...Object.fromEntries(inherited),
    LOCAL_STACK: '1',
    HOST: '127.0.0.1',
    // An HTTP proxy is for the world outside, and so is the search for Google's metadata server.
    NO_PROXY: '127.0.0.1,localhost',
    no_proxy: '127.0.0.1,localhost',
    METADATA_SERVER_DETECTION: 'none',
    GOOGLE_CLOUD_PROJECT: projectId,
    KMS_KEY_RING: keyRing,
    ...(flavour.wrappedRoot && { WRAPPED_ROOT: wrappedRoot }),
    POLICY_DECISION_URL: `http://127.0.0.1:${proxies.pdp.port}`,
    ...(flavour.console && {
      IDENTITY_ISSUER: `http://127.0.0.1:${ports.identity}`,
      IDENTITY_AUDIENCE: audience,
      IDENTITY_JWKS_URL: `http://127.0.0.1:${proxies.idp.port}/jwks`,
      CONSOLE_ORIGIN: consoleOrigin,
    }),
    ...(flavour.billing && {
      STRIPE_SECRET_KEY: stripeSecrets.secretKey,
      STRIPE_WEBHOOK_SECRET: stripeSecrets.webhookSecret,
      STRIPE_PRICE_ID: priceId,
    }),
    FIRESTORE_EMULATOR_HOST: `127.0.0.1:${proxies.firestore.port}`,
    KMS_EMULATOR_HOST: `127.0.0.1:${proxies.kms.port}`,
    STRIPE_EMULATOR_HOST: `127.0.0.1:${proxies.stripe.port}`,
  };
}
