import type { Deployment } from './deployment.ts';
import { FUNCTIONS, type FunctionName, type SecretVariable } from './functions.ts';
import {
  AUDIT_SIGNING,
  accountEmail,
  functionAddress,
  keyRingName,
  PRELOAD,
  ROOT_RING,
  TENANTS_RING,
  WRAPPED_ROOT,
} from './names.ts';

/** The port of the policy decision point, which runs in the same instance as the function. */
export const DECISION_PORT = 3592;

/**
 * The functions that must know whether the service is closed. While it is closed, `router` refuses every caller, and
 * `seal-audit` may sign a statement of what a restore lost.
 */
const KNOW_CLOSED: readonly FunctionName[] = ['router', 'seal-audit'];

/** Returns a function's environment variables, except its secrets. */
export function environmentOf(deployment: Deployment, name: FunctionName): Record<string, string> {
  const { identity, billing, consoleOrigin, metricsEndpoint, transit, workloadIssuers } = deployment;
  const { caller, kmsWritesPerMinute, kmsOperationsPerSecond } = FUNCTIONS[name];
  return {
    // The path is relative to the function's directory, because the platform starts Node there.
    NODE_OPTIONS: `--require=./${PRELOAD}`,
    GOOGLE_CLOUD_PROJECT: deployment.project,
    KMS_KEY_RING: keyRingName(deployment, TENANTS_RING),
    WRAPPED_ROOT: `${keyRingName(deployment, ROOT_RING)}/cryptoKeys/${WRAPPED_ROOT}`,
    // The version must stay 1: a new version would have to sign every log again that version 1 has signed.
    AUDIT_SIGNING_KEY: `${keyRingName(deployment, ROOT_RING)}/cryptoKeys/${AUDIT_SIGNING}/cryptoKeyVersions/1`,
    AUDIT_ORIGIN: deployment.auditOrigin,
    POLICY_DECISION_URL: `http://127.0.0.1:${DECISION_PORT}`,
    CREDENTIAL_HEADER: 'x-forwarded-authorization',
    INVOKER_SERVICE_ACCOUNT: accountEmail(deployment, caller),
    INVOKER_AUDIENCE: functionAddress(deployment, name),
    TRUSTED_PROXY_HOPS: String(deployment.trustedProxyHops),
    ...(kmsWritesPerMinute && { KMS_WRITES_PER_MINUTE: String(kmsWritesPerMinute) }),
    ...(kmsOperationsPerSecond && { KMS_OPERATIONS_PER_SECOND: String(kmsOperationsPerSecond) }),
    ...(identity && {
      IDENTITY_ISSUER: identity.issuer,
      IDENTITY_AUDIENCE: identity.audience,
      IDENTITY_JWKS_URL: identity.jwksUrl,
      IDENTITY_TOKEN_TYPE: identity.tokenType,
      IDENTITY_SCOPE: identity.scope,
      CONSOLE_CLIENT_ID: identity.clientId,
    }),
    ...(workloadIssuers.length > 0 && {
      WORKLOAD_ISSUERS: JSON.stringify(
        workloadIssuers.map(({ issuer, claims, maxLifetime }) => ({ issuer, claims, max_lifetime: maxLifetime })),
      ),
    }),
    ...(consoleOrigin && { CONSOLE_ORIGIN: consoleOrigin }),
    ...(transit && { TRANSIT: 'on' }),
    // The deployment script replaces `$CLOSED_BEFORE` with `true` or `false`: whether the service was closed when the
    // script started.
    ...(KNOW_CLOSED.includes(name) && { CLOSED: '$CLOSED_BEFORE' }),
    ...(metricsEndpoint && { OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: metricsEndpoint }),
    ...(billing && { STRIPE_PRICE_ID: billing.stripePriceId }),
  };
}

/** Returns a function's secrets. Callers reach only the functions behind the gateway, so only these know the balancer's. */
export function secretsOf({ billing, apiOrigin }: Deployment, name: FunctionName): readonly SecretVariable[] {
  const { secrets, caller } = FUNCTIONS[name];
  const balanced = apiOrigin !== undefined && caller === 'gateway';
  return [...(billing === undefined ? [] : secrets), ...(balanced ? (['BALANCER_SECRET'] as const) : [])];
}
