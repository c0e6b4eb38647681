import type { z } from 'zod';
import { variables } from '../shared/config.ts';

type Name = keyof typeof variables.shape;

/** The meaning of each environment variable. Links are relative to `docs/`. */
export const VARIABLES: Readonly<Record<Name, string>> = {
  GOOGLE_CLOUD_PROJECT: 'the project of Firestore and the KMS',
  KMS_KEY_RING: "resource name of the key ring for tenants' CryptoKeys",
  WRAPPED_ROOT:
    'resource name of the CryptoKey that wraps the data keys of `free` and `wrapped` keys. If it is not set, the service creates a CryptoKey for each new `free` or `wrapped` key',
  AUDIT_SIGNING_KEY:
    'resource name of the CryptoKeyVersion (`EC_SIGN_ED25519`) that signs the [sealed audit log](audit.md). If it is not set, the log is not sealed. Needs `AUDIT_ORIGIN`',
  AUDIT_ORIGIN:
    'first part of the name of each sealed audit log: a host name, optionally with a path, such as `encryption.example.com`. Needs `AUDIT_SIGNING_KEY`',
  POLICY_DECISION_URL: 'URL of the policy decision point, Cerbos',
  IDENTITY_ISSUER:
    'issuer of access tokens. The console routes exist only if `IDENTITY_ISSUER`, `IDENTITY_AUDIENCE` and `IDENTITY_JWKS_URL` are all set',
  IDENTITY_AUDIENCE: 'audience that access tokens must have',
  IDENTITY_JWKS_URL:
    "URL of the identity provider's public keys. It must use `https`, unless the keys are on this machine",
  IDENTITY_TOKEN_TYPE:
    '`typ` in the header of access tokens (RFC 9068). Set `JWT` if access tokens of the provider have the type `JWT` or no type. With `JWT`, the service also accepts [some ID tokens](security.md#access-tokens)',
  CONSOLE_CLIENT_ID: 'client ID with which the console and `esk` sign people in at the identity provider',
  IDENTITY_SCOPE: 'scopes that the console and `esk` request, separated by spaces',
  WORKLOAD_ISSUERS: `the issuers whose ID tokens [workloads](workload-identity.md) can present instead of an API key's token. JSON: a list of \`{"issuer", "claims", "max_lifetime"}\`. \`issuer\` is an \`https\` URL. Each federation with this issuer must have at least one of \`claims\`. \`max_lifetime\` is the longest life of a token in seconds, 1 to 86,400 (the default)`,
  CONSOLE_ORIGIN:
    "the console's origin, and the only origin from which CORS allows requests. Stripe sends people back to `/billing` at this origin. Required for billing",
  STRIPE_PRICE_ID:
    'ID of the price of a subscription at Stripe. If it is not set, there is no [billing](billing.md). Needs the identity provider and `CONSOLE_ORIGIN`',
  STRIPE_SECRET_KEY: "Stripe's API key. With billing, the functions `billing` and `close-month` need it",
  STRIPE_WEBHOOK_SECRET: "the secret that verifies Stripe's webhooks. With billing, the function `billing` needs it",
  TRUSTED_PROXY_HOPS:
    "number of trusted proxies in front of the service, 0 to 10. With N, the client's address is the Nth entry from the right in `X-Forwarded-For`; with 0, it is the address of the connection",
  BALANCER_SECRET:
    'secret that the load balancer sends in `X-Balancer-Secret`. The service refuses other requests with 401. Several secrets are separated by commas. `npm run deploy` sets it if there is an [`apiOrigin`](upkeep.md#a-domain)',
  CREDENTIAL_HEADER:
    "the header with the caller's credential. Set `x-forwarded-authorization` behind API Gateway. Transit routes also read `X-Vault-Token`",
  CLOSED:
    'if `true`, the service answers `503` to every request except `GET /health`. `npm run deploy` sets it when you [close the service](deploy.md#closing-the-service)',
  TRANSIT: 'if `on`, the service has the routes for [Vault clients](transit.md)',
  KMS_WRITES_PER_MINUTE:
    'how many changes per minute this process may make in the KMS. One tenant may make at most half of these changes. A change that exceeds the limit waits for up to five seconds. If it is not set, there is no limit',
  KMS_OPERATIONS_PER_SECOND:
    "how many `encrypt` and `decrypt` calls per second this process may make to the KMS. A burst may use the calls of one second at once. At most five sixths of the calls may be for tenants' CryptoKeys, and at most half of the calls for one tenant. A call that exceeds a limit waits for up to 250 ms. If it is not set, there is no limit",
  INVOKER_SERVICE_ACCOUNT:
    "email of the only service account that may call the function: the gateway's or the scheduler's. Required on Cloud Run. If you set it, set `CREDENTIAL_HEADER` to `x-forwarded-authorization`",
  INVOKER_AUDIENCE: "audience of the service account's ID tokens: the function's URL. Required on Cloud Run",
  OTEL_EXPORTER_OTLP_METRICS_ENDPOINT:
    'full URL that receives [metrics](operate.md#metrics) as OTLP over HTTP. If it is not set, the service measures nothing',
  INVOKER_KEYS_EMULATOR_URL:
    "local stack only: URL of the public keys that verify ID tokens of callers, in place of Google's keys",
  FIRESTORE_EMULATOR_HOST: "local stack only: the Firestore emulator's host and port",
  KMS_EMULATOR_HOST: "local stack only: the KMS emulator's host and port",
  STRIPE_EMULATOR_HOST: "local stack only: the Stripe emulator's host and port",
  K_SERVICE:
    'Cloud Run sets this variable. If it is set, the service refuses to start with any variable that is for the local stack only',
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
