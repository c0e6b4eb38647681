import { z } from 'zod';
import { isOnThisMachine } from './base/loopback.ts';
import { readWorkloadIssuers, type WorkloadIssuer } from './workload-issuers.ts';

const hostAndPort = z.string().regex(/^[^\s:/]+:\d{1,5}$/, 'must be host:port');
const webUrl = z.url({ protocol: /^https?$/ });
const origin = webUrl.refine((text) => URL.parse(text)?.origin === text, 'must be an origin: scheme, host, port');
const scopes = z.string().regex(/^[!#-[\]-~]+( [!#-[\]-~]+)*$/, 'must be scopes, separated by single spaces');
const keyRing = z
  .string()
  .regex(/^projects\/[^/]+\/locations\/[^/]+\/keyRings\/[^/]+$/, 'must be a key ring resource name');
const cryptoKey = z
  .string()
  .regex(
    /^projects\/[^/]+\/locations\/[^/]+\/keyRings\/[^/]+\/cryptoKeys\/[^/]+$/,
    'must be a CryptoKey resource name',
  );

const cryptoKeyVersion = z
  .string()
  .regex(
    /^projects\/[^/]+\/locations\/[^/]+\/keyRings\/[^/]+\/cryptoKeys\/[^/]+\/cryptoKeyVersions\/\d+$/,
    'must be a CryptoKeyVersion resource name',
  );
/** C2SP tlog-checkpoint requires a URL without scheme. */
const logOrigin = z
  .string()
  .regex(/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?(\/[A-Za-z0-9._~-]+)*$/, 'must be a host name, optionally with a path');

const balancerSecrets = z
  .string()
  .regex(/^[\w-]{32,}(,[\w-]{32,})*$/, 'must be secrets of at least 32 letters and digits, separated by commas')
  .transform((text) => text.split(','));

const limit = z
  .string()
  .regex(/^[1-9]\d{0,5}$/, 'must be a whole number from 1 to 999999')
  .transform(Number);

/** Values of the `typ` header of access tokens: the type of RFC 9068, or the generic type. */
const TOKEN_TYPES = ['at+jwt', 'JWT'] as const;

/** Every environment variable. `deploy/variables.ts` explains them. */
export const variables = z.object({
  GOOGLE_CLOUD_PROJECT: z.string().min(1),
  KMS_KEY_RING: keyRing,
  WRAPPED_ROOT: cryptoKey.optional(),
  AUDIT_SIGNING_KEY: cryptoKeyVersion.optional(),
  AUDIT_ORIGIN: logOrigin.optional(),
  POLICY_DECISION_URL: webUrl,
  IDENTITY_ISSUER: z.url().optional(),
  IDENTITY_AUDIENCE: z
    .string()
    .min(1)
    .refine((text) => !/^urn:uuid:/i.test(text), 'must not begin with urn:uuid:, the audience of workloads')
    .optional(),
  IDENTITY_JWKS_URL: webUrl
    .refine(isSafeFromOthers, 'must use https, or http with an address on this machine')
    .optional(),
  IDENTITY_TOKEN_TYPE: z.enum(TOKEN_TYPES).default('at+jwt'),
  CONSOLE_CLIENT_ID: z.string().min(1).default('console'),
  IDENTITY_SCOPE: scopes.default('openid email profile'),
  CONSOLE_ORIGIN: origin.optional(),
  WORKLOAD_ISSUERS: z.string().default('[]'),
  STRIPE_SECRET_KEY: z.string().min(1).optional(),
  STRIPE_WEBHOOK_SECRET: z.string().min(1).optional(),
  STRIPE_PRICE_ID: z.string().min(1).optional(),
  TRUSTED_PROXY_HOPS: z
    .string()
    .regex(/^(\d|10)$/, 'must be a whole number from 0 to 10')
    .default('0')
    .transform(Number),
  BALANCER_SECRET: balancerSecrets.optional(),
  TRANSIT: z.enum(['on', 'off']).default('off'),
  CLOSED: z.enum(['true', 'false']).default('false'),
  CREDENTIAL_HEADER: z.enum(['authorization', 'x-forwarded-authorization']).default('authorization'),
  KMS_WRITES_PER_MINUTE: limit.optional(),
  KMS_OPERATIONS_PER_SECOND: limit.optional(),
  INVOKER_SERVICE_ACCOUNT: z.email().optional(),
  INVOKER_AUDIENCE: z.string().min(1).optional(),
  INVOKER_KEYS_EMULATOR_URL: webUrl.optional(),
  OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: webUrl.optional(),
  FIRESTORE_EMULATOR_HOST: hostAndPort.optional(),
  KMS_EMULATOR_HOST: hostAndPort.optional(),
  STRIPE_EMULATOR_HOST: hostAndPort.optional(),
  K_SERVICE: z.string().optional(),
});

const EMULATOR_VARIABLES = [
  'INVOKER_KEYS_EMULATOR_URL',
  'FIRESTORE_EMULATOR_HOST',
  'KMS_EMULATOR_HOST',
  'STRIPE_EMULATOR_HOST',
] as const;

export const STRIPE_SECRETS = ['STRIPE_SECRET_KEY', 'STRIPE_WEBHOOK_SECRET'] as const;

export interface IdentityConfig {
  readonly issuer: string;
  readonly audience: string;
  readonly jwksUrl: string;
  /** The required `typ` of access tokens. With `JWT`, the header may be absent. */
  readonly tokenType: (typeof TOKEN_TYPES)[number];
}

interface SignInConfig extends IdentityConfig {
  /** The public OAuth client of the console and the command line. */
  readonly clientId: string;
  readonly scope: string;
}

export interface BillingConfig {
  readonly priceId: string;
  readonly returnUrl: string;
  readonly emulatorHost: string | undefined;
}

/** The service account of the gateway or scheduler. Only this account may call the function. */
export interface InvokerConfig {
  readonly serviceAccount: string;
  /** The audience of the account's ID tokens: the function's URL. */
  readonly audience: string;
  readonly keysUrl: string;
  /** Whether the process runs on Cloud Run, which verifies the token and replaces its signature. */
  readonly onCloudRun: boolean;
}

export interface SealingConfig {
  /** The CryptoKeyVersion (Ed25519) that signs the audit logs. */
  readonly signingKey: string;
  /** The prefix of the log names. A log's name is the prefix and the tenant's id. */
  readonly origin: string;
}

export interface Config {
  readonly project: string;
  readonly keyRing: string;
  /** Wraps the data keys of `free` and `wrapped` keys. Without it, each of these keys is a CryptoKey. */
  readonly wrappedRoot: string | undefined;
  readonly policyDecisionUrl: string;
  readonly identity: SignInConfig | undefined;
  readonly workloadIssuers: readonly WorkloadIssuer[];
  readonly billing: BillingConfig | undefined;
  readonly sealing: SealingConfig | undefined;
  /** The only origin that CORS allows. */
  readonly consoleOrigin: string | undefined;
  /** The position of the client's address in X-Forwarded-For, counted from the right. */
  readonly trustedProxyHops: number;
  /** The load balancer sends one of them with each request. Empty without a load balancer. */
  readonly balancerSecrets: readonly string[];
  readonly credentialHeader: 'authorization' | 'x-forwarded-authorization';
  /** Whether the Vault Transit routes exist. */
  readonly transit: boolean;
  /** Whether the service refuses every caller. */
  readonly closed: boolean;
  readonly kmsWritesPerMinute: number | undefined;
  readonly kmsOperationsPerSecond: number | undefined;
  /** `undefined` only in the local stack, where anyone may call the process. */
  readonly invoker: InvokerConfig | undefined;
  readonly metricsEndpoint: string | undefined;
  readonly kmsEmulatorHost: string | undefined;
  /** `undefined` for Google's Firestore, which needs Google credentials. */
  readonly firestoreEmulatorHost: string | undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Returns the configuration. Throws an `Error` that names every missing or malformed variable, without values. */
export function readConfig(environment: Environment): Config {
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  const parsed = variables.safeParse(given);
  if (!parsed.success) {
    throw new Error(parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('; '));
  }
  const read = parsed.data;
  if (read.K_SERVICE !== undefined) {
    const refused = EMULATOR_VARIABLES.filter((name) => read[name] !== undefined);
    if (refused.length > 0) throw new Error(`${refused.join(', ')}: not allowed on Cloud Run`);
  }
  const identity = readIdentity(read);
  return {
    project: read.GOOGLE_CLOUD_PROJECT,
    keyRing: read.KMS_KEY_RING,
    wrappedRoot: read.WRAPPED_ROOT,
    policyDecisionUrl: read.POLICY_DECISION_URL,
    identity,
    workloadIssuers: readWorkloadIssuers(read.WORKLOAD_ISSUERS, read.FIRESTORE_EMULATOR_HOST !== undefined),
    billing: readBilling(read, identity),
    sealing: readSealing(read),
    consoleOrigin: read.CONSOLE_ORIGIN,
    trustedProxyHops: read.TRUSTED_PROXY_HOPS,
    balancerSecrets: read.BALANCER_SECRET ?? [],
    credentialHeader: read.CREDENTIAL_HEADER,
    transit: read.TRANSIT === 'on',
    closed: read.CLOSED === 'true',
    kmsWritesPerMinute: read.KMS_WRITES_PER_MINUTE,
    kmsOperationsPerSecond: read.KMS_OPERATIONS_PER_SECOND,
    invoker: readInvoker(read),
    metricsEndpoint: read.OTEL_EXPORTER_OTLP_METRICS_ENDPOINT,
    kmsEmulatorHost: read.KMS_EMULATOR_HOST,
    firestoreEmulatorHost: read.FIRESTORE_EMULATOR_HOST,
  };
}

type Variables = z.infer<typeof variables>;

/** From https://accounts.google.com/.well-known/openid-configuration */
const GOOGLE_KEYS_URL = 'https://www.googleapis.com/oauth2/v3/certs';

function readInvoker(read: Variables): InvokerConfig | undefined {
  const { INVOKER_SERVICE_ACCOUNT: serviceAccount, INVOKER_AUDIENCE: audience } = read;
  const onCloudRun = read.K_SERVICE !== undefined;
  if (serviceAccount && audience) {
    if (read.CREDENTIAL_HEADER === 'authorization') {
      throw new Error('CREDENTIAL_HEADER: must be x-forwarded-authorization when INVOKER_SERVICE_ACCOUNT is set');
    }
    return { serviceAccount, audience, keysUrl: read.INVOKER_KEYS_EMULATOR_URL ?? GOOGLE_KEYS_URL, onCloudRun };
  }
  if (onCloudRun) throw new Error('INVOKER_SERVICE_ACCOUNT, INVOKER_AUDIENCE: required on Cloud Run');
  if (serviceAccount || audience) throw new Error('INVOKER_SERVICE_ACCOUNT, INVOKER_AUDIENCE: set both or neither');
  return undefined;
}

function readIdentity(read: Variables): SignInConfig | undefined {
  const { IDENTITY_ISSUER: issuer, IDENTITY_AUDIENCE: audience, IDENTITY_JWKS_URL: jwksUrl } = read;
  if (issuer && audience && jwksUrl) {
    const client = { clientId: read.CONSOLE_CLIENT_ID, scope: read.IDENTITY_SCOPE };
    return { issuer, audience, jwksUrl, tokenType: read.IDENTITY_TOKEN_TYPE, ...client };
  }
  if (issuer || audience || jwksUrl) {
    throw new Error('IDENTITY_ISSUER, IDENTITY_AUDIENCE, IDENTITY_JWKS_URL: set all three or none');
  }
  return undefined;
}

function readBilling(read: Variables, identity: IdentityConfig | undefined): BillingConfig | undefined {
  const { STRIPE_PRICE_ID: priceId } = read;
  if (priceId === undefined) {
    const secret = STRIPE_SECRETS.find((name) => read[name] !== undefined);
    if (secret !== undefined) throw new Error(`STRIPE_PRICE_ID: required when ${secret} is set`);
    return undefined;
  }
  if (identity === undefined) throw new Error('STRIPE_PRICE_ID: billing also needs the three IDENTITY_ variables');
  if (read.CONSOLE_ORIGIN === undefined) throw new Error('CONSOLE_ORIGIN: required when STRIPE_PRICE_ID is set');
  return { priceId, returnUrl: `${read.CONSOLE_ORIGIN}/billing`, emulatorHost: read.STRIPE_EMULATOR_HOST };
}

function readSealing({ AUDIT_SIGNING_KEY: signingKey, AUDIT_ORIGIN: origin }: Variables): SealingConfig | undefined {
  if (signingKey && origin) return { signingKey, origin };
  if (signingKey || origin) throw new Error('AUDIT_SIGNING_KEY, AUDIT_ORIGIN: set both or neither');
  return undefined;
}

/** Returns a secret for Stripe. Throws an `Error` that names the variable if it is missing. */
export function readStripeSecret(environment: Environment, name: (typeof STRIPE_SECRETS)[number]): string {
  const secret = environment[name];
  if (!secret) throw new Error(`${name}: required when STRIPE_PRICE_ID is set`);
  return secret;
}

/** Whether an address is HTTPS or on this machine, so that nobody on the network can forge its answers. */
function isSafeFromOthers(address: string): boolean {
  const url = URL.parse(address);
  return url === null || url.protocol === 'https:' || isOnThisMachine(url);
}
