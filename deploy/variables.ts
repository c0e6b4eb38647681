import type { z } from 'zod';
import { variables } from '../shared/config.ts';

type Name = keyof typeof variables.shape;

/** The meaning of each environment variable. Links are relative to `docs/`. */
export const VARIABLES: Readonly<Record<Name, string>> = {
  GOOGLE_CLOUD_PROJECT: 'the project of Firestore and the KMS',
  KMS_KEY_RING: "resource name of the key ring for tenants' CryptoKeys",
  WRAPPED_ROOT:
    'resource name of the CryptoKey that wraps the data keys of `free` and `wrapped` keys. If it is not set, each of these keys is a CryptoKey',
  AUDIT_SIGNING_KEY:
    'resource name of the CryptoKeyVersion (`EC_SIGN_ED25519`) that signs the [sealed audit log](audit.md). If it is not set, the log is not sealed. Needs `AUDIT_ORIGIN`',
  AUDIT_ORIGIN:
    "first part of each log's name: a host name, optionally with a path, such as `encryption.example.com`. Needs `AUDIT_SIGNING_KEY`",
  POLICY_DECISION_URL: 'URL of Cerbos',
  IDENTITY_ISSUER:
    'issuer of access tokens. The console routes exist only if `IDENTITY_ISSUER`, `IDENTITY_AUDIENCE` and `IDENTITY_JWKS_URL` are all set',
  IDENTITY_AUDIENCE: 'audience that access tokens must have',
  IDENTITY_JWKS_URL: "URL of the identity provider's public keys: `https`, or on this machine",
  IDENTITY_TOKEN_TYPE:
    '`typ` in the header of access tokens (RFC 9068). Set `JWT` if the provider sends `JWT` or no type. Then [some ID tokens](security.md#access-tokens) are accepted too',
  CONSOLE_CLIENT_ID: "ID of the provider's public client for the console and `esk`",
  IDENTITY_SCOPE: 'scopes that the console and `esk` request, separated by spaces',
  CONSOLE_ORIGIN:
    "the console's origin, the only one that CORS admits. Stripe sends people back to `/billing` there. Billing needs it",
  STRIPE_PRICE_ID:
    'the price of a subscription. If it is not set, there is no [billing](billing.md). Needs the identity provider and `CONSOLE_ORIGIN`',
  STRIPE_SECRET_KEY: "Stripe's API key. The functions `billing` and `close-month` need it for billing",
  STRIPE_WEBHOOK_SECRET: "the secret that verifies Stripe's webhooks. The function `billing` needs it for billing",
  TRUSTED_PROXY_HOPS:
    "number of trusted proxies in front of the service, 0 to 10. With N, the client's address is the Nth entry from the right in `X-Forwarded-For`; with 0, it is the address of the connection",
  CREDENTIAL_HEADER:
    "the header with the caller's credential. Set `x-forwarded-authorization` behind API Gateway. Transit routes also read `X-Vault-Token`",
  CLOSED:
    '`true` answers `503` to everything except `GET /health`. `npm run deploy` sets it when you [close the service](deploy.md#closing-the-service)',
  TRANSIT: '`on` serves the routes for [Vault clients](transit.md)',
  KMS_WRITES_PER_MINUTE:
    'how many changes per minute this process may make in the KMS. One tenant gets at most half. If it is not set, there is no limit',
  KMS_OPERATIONS_PER_SECOND:
    "how many `encrypt` and `decrypt` calls per second this process may make to the KMS. A burst may use one second's calls at once. Tenants' CryptoKeys get at most five sixths of the calls, and one tenant gets at most half. If it is not set, there is no limit",
  INVOKER_SERVICE_ACCOUNT:
    "email of the only service account that may call the function: the gateway's or the scheduler's. Required on Cloud Run. Needs `x-forwarded-authorization` as `CREDENTIAL_HEADER`",
  INVOKER_AUDIENCE: "audience of the service account's ID tokens: the function's URL. Required on Cloud Run",
  OTEL_EXPORTER_OTLP_METRICS_ENDPOINT:
    'full URL that receives [metrics](operate.md#metrics) as OTLP over HTTP. If it is not set, nothing is measured',
  INVOKER_KEYS_EMULATOR_URL: "local stack only: URL of the public keys that replace Google's for ID tokens",
  FIRESTORE_EMULATOR_HOST: "local stack only: the Firestore emulator's host and port",
  KMS_EMULATOR_HOST: "local stack only: the KMS emulator's host and port",
  STRIPE_EMULATOR_HOST: "local stack only: the Stripe emulator's host and port",
  K_SERVICE: 'Cloud Run sets it. Then the service refuses to start if a variable of the local stack is set',
};

/**
 * Returns a variable's default for the table. It is empty if the variable is optional, and `required` if it must be
 * set.
 */
export function defaultOf(name: string): string {
  const schemas: Readonly<Record<string, z.ZodType>> = variables.shape;
  const parsed = schemas[name]?.safeParse(undefined);
  if (!parsed?.success) return 'required';
  return parsed.data === undefined ? '' : `\`${parsed.data}\``;
}
