import type { Deployment } from './deployment.ts';
import { FUNCTIONS, type FunctionName, KMS_WRITES_PER_MINUTE, SECRETS, type SecretVariable } from './functions.ts';
import { accountEmail, functionAddress, keyRingName, ROOT_RING, TENANTS_RING, WRAPPED_ROOT } from './names.ts';

/** The decision point beside a function, in the same instance. */
export const DECISION_PORT = 3592;

/** The service's variables for a function, without the secrets that it is given. */
export function environmentOf(deployment: Deployment, name: FunctionName): Record<string, string> {
  const { identity, billing, consoleOrigin, metricsEndpoint } = deployment;
  const kmsWrites = KMS_WRITES_PER_MINUTE[name];
  return {
    GOOGLE_CLOUD_PROJECT: deployment.project,
    KMS_KEY_RING: keyRingName(deployment, TENANTS_RING),
    WRAPPED_ROOT: `${keyRingName(deployment, ROOT_RING)}/cryptoKeys/${WRAPPED_ROOT}`,
    POLICY_DECISION_URL: `http://127.0.0.1:${DECISION_PORT}`,
    CREDENTIAL_HEADER: 'x-forwarded-authorization',
    INVOKER_SERVICE_ACCOUNT: accountEmail(deployment, FUNCTIONS[name].caller),
    INVOKER_AUDIENCE: functionAddress(deployment, name),
    TRUSTED_PROXY_HOPS: String(deployment.trustedProxyHops),
    ...(kmsWrites !== undefined && { KMS_WRITES_PER_MINUTE: String(kmsWrites) }),
    ...(identity && {
      IDENTITY_ISSUER: identity.issuer,
      IDENTITY_AUDIENCE: identity.audience,
      IDENTITY_JWKS_URL: identity.jwksUrl,
      IDENTITY_TOKEN_TYPE: identity.tokenType,
    }),
    ...(consoleOrigin && { CONSOLE_ORIGIN: consoleOrigin }),
    ...(metricsEndpoint && { OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: metricsEndpoint }),
    ...(billing && { STRIPE_PRICE_ID: billing.stripePriceId, ...withheld(name) }),
  };
}

/** The secrets that a function is given. */
export function secretsOf({ billing }: Deployment, name: FunctionName): readonly SecretVariable[] {
  return billing === undefined ? [] : FUNCTIONS[name].secrets;
}

/** Every function must know that there is billing, which the secrets say; those that never speak to Stripe get no secret. */
function withheld(name: FunctionName): Record<string, string> {
  const others = SECRETS.filter((secret) => !FUNCTIONS[name].secrets.includes(secret));
  return Object.fromEntries(others.map((secret) => [secret, 'withheld']));
}
