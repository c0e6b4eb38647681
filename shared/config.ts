import { z } from 'zod';

/** How long a call out, or a request on its way in, may take, in milliseconds. The only place where deadlines stand. */
export const DEADLINES_MS = {
  /** A request's head, from its connection or its first byte on. */
  head: 10_000,
  /** A request's body, from its head on. */
  body: 5_000,
  /** A whole request, where its body is not waited for. */
  request: 20_000,
  policy: 2_000,
  identity: 5_000,
  /** The identity provider's keys, after a fetch of them has failed. */
  identityAgain: 500,
  firestore: 10_000,
  kms: 10_000,
  stripe: 20_000,
  /** Once Firestore or the KMS has answered nothing for so long, what fails is not tried again. */
  outage: 2_000,
  /** In such an outage a call waits so long: a connection is tried for once a second. */
  reconnect: 1_500,
  /** A readiness check waits for none of them longer than this. */
  readiness: 2_000,
} as const;

const hostAndPort = z.string().regex(/^[^\s:/]+:\d{1,5}$/, 'must be host:port');
const webUrl = z.url({ protocol: /^https?$/ });
const origin = webUrl.refine((text) => URL.parse(text)?.origin === text, 'must be an origin: scheme, host, port');
const keyRing = z
  .string()
  .regex(/^projects\/[^/]+\/locations\/[^/]+\/keyRings\/[^/]+$/, 'must be a key ring resource name');
const cryptoKey = z
  .string()
  .regex(
    /^projects\/[^/]+\/locations\/[^/]+\/keyRings\/[^/]+\/cryptoKeys\/[^/]+$/,
    'must be a CryptoKey resource name',
  );

/** What a provider calls its access tokens in their header: RFC 9068's name, or nothing in particular. */
const TOKEN_TYPES = ['at+jwt', 'JWT'] as const;

const variables = z.object({
  GOOGLE_CLOUD_PROJECT: z.string().min(1),
  KMS_KEY_RING: keyRing,
  WRAPPED_ROOT: cryptoKey.optional(),
  POLICY_DECISION_URL: webUrl,
  IDENTITY_ISSUER: z.url().optional(),
  IDENTITY_AUDIENCE: z.string().min(1).optional(),
  IDENTITY_JWKS_URL: webUrl.refine(isSafeFromOthers, 'must be https, or http to this machine').optional(),
  IDENTITY_TOKEN_TYPE: z.enum(TOKEN_TYPES).default('at+jwt'),
  CONSOLE_ORIGIN: origin.optional(),
  STRIPE_SECRET_KEY: z.string().min(1).optional(),
  STRIPE_WEBHOOK_SECRET: z.string().min(1).optional(),
  STRIPE_PRICE_ID: z.string().min(1).optional(),
  TRUSTED_PROXY_HOPS: z
    .string()
    .regex(/^(\d|10)$/, 'must be 0 to 10')
    .default('0')
    .transform(Number),
  CREDENTIAL_HEADER: z.enum(['authorization', 'x-forwarded-authorization']).default('authorization'),
  KMS_WRITES_PER_MINUTE: z
    .string()
    .regex(/^[1-9]\d{0,5}$/, 'must be a number from 1 to 999999')
    .transform(Number)
    .optional(),
  INVOKER_SERVICE_ACCOUNT: z.email().optional(),
  INVOKER_AUDIENCE: z.string().min(1).optional(),
  INVOKER_KEYS_EMULATOR_URL: webUrl.optional(),
  OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: webUrl.optional(),
  FIRESTORE_EMULATOR_HOST: hostAndPort.optional(),
  KMS_EMULATOR_HOST: hostAndPort.optional(),
  STRIPE_EMULATOR_HOST: hostAndPort.optional(),
  LOCAL_STACK: z.literal('1').optional(),
  RATE_LIMIT: z.literal('off').optional(),
  K_SERVICE: z.string().optional(),
});

const EMULATOR_VARIABLES = [
  'INVOKER_KEYS_EMULATOR_URL',
  'FIRESTORE_EMULATOR_HOST',
  'KMS_EMULATOR_HOST',
  'STRIPE_EMULATOR_HOST',
  'LOCAL_STACK',
  'RATE_LIMIT',
] as const;

/** What an identity provider needs to be configured. */
export interface IdentityConfig {
  readonly issuer: string;
  readonly audience: string;
  readonly jwksUrl: string;
  /** The type that access tokens say they are of; with `JWT` they need not say any. */
  readonly tokenType: (typeof TOKEN_TYPES)[number];
}

/** What billing needs to be configured. */
export interface BillingConfig {
  readonly secretKey: string;
  readonly webhookSecret: string;
  readonly priceId: string;
  /** Where the provider's pages send people back to: the console's billing page. */
  readonly returnUrl: string;
  readonly emulatorHost: string | undefined;
}

/** Who alone may call the function, where something of ours stands in front of it: the gateway, or the scheduler. */
export interface InvokerConfig {
  /** The email of its service account. */
  readonly serviceAccount: string;
  /** What its ID tokens are for: the function's own URL. */
  readonly audience: string;
  /** Where Google's public keys are. */
  readonly keysUrl: string;
  /** Whether Cloud Run stands in between, which checks a token's signature and then takes it away. */
  readonly onCloudRun: boolean;
}

/** The deployment's choices, read once at the start. */
export interface Config {
  readonly project: string;
  readonly keyRing: string;
  /** The CryptoKey that wraps the data keys of `free` and `wrapped` keys; without it they are CryptoKeys of their own. */
  readonly wrappedRoot: string | undefined;
  readonly policyDecisionUrl: string;
  readonly identity: IdentityConfig | undefined;
  readonly billing: BillingConfig | undefined;
  /** The one origin that CORS admits, and where Stripe sends people back to. */
  readonly consoleOrigin: string | undefined;
  /** How many proxies in front are ours: the client's address is that many entries from the right of X-Forwarded-For. */
  readonly trustedProxyHops: number;
  readonly credentialHeader: 'authorization' | 'x-forwarded-authorization';
  /** How often this process may change something in the KMS in a minute; without it as often as it likes. */
  readonly kmsWritesPerMinute: number | undefined;
  /** Without one, whoever reaches the process may call it: the local stack alone. */
  readonly invoker: InvokerConfig | undefined;
  /** Where metrics are sent; without it nothing is measured. */
  readonly metricsEndpoint: string | undefined;
  readonly kmsEmulatorHost: string | undefined;
  /** Whether Firestore is Google's own, and no emulator, so that credentials of Google's are needed. */
  readonly usesGoogle: boolean;
  /** Whether the local stack may move the clock and inject faults. */
  readonly localStack: boolean;
  /** Lifted by benchmarks alone. */
  readonly rateLimited: boolean;
}

/** Reads the configuration. Throws an `Error` that names every missing or malformed variable and repeats no value. */
export function readConfig(environment: Readonly<Record<string, string | undefined>>): Config {
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
    billing: readBilling(read, identity),
    consoleOrigin: read.CONSOLE_ORIGIN,
    trustedProxyHops: read.TRUSTED_PROXY_HOPS,
    credentialHeader: read.CREDENTIAL_HEADER,
    kmsWritesPerMinute: read.KMS_WRITES_PER_MINUTE,
    invoker: readInvoker(read),
    metricsEndpoint: read.OTEL_EXPORTER_OTLP_METRICS_ENDPOINT,
    kmsEmulatorHost: read.KMS_EMULATOR_HOST,
    usesGoogle: read.FIRESTORE_EMULATOR_HOST === undefined,
    localStack: read.LOCAL_STACK === '1',
    rateLimited: read.RATE_LIMIT !== 'off',
  };
}

type Variables = z.infer<typeof variables>;

/** Google's keys for ID tokens, as https://accounts.google.com/.well-known/openid-configuration names them. */
const GOOGLE_KEYS_URL = 'https://www.googleapis.com/oauth2/v3/certs';

function readInvoker(read: Variables): InvokerConfig | undefined {
  const { INVOKER_SERVICE_ACCOUNT: serviceAccount, INVOKER_AUDIENCE: audience } = read;
  const onCloudRun = read.K_SERVICE !== undefined;
  if (serviceAccount && audience) {
    if (read.CREDENTIAL_HEADER === 'authorization') {
      throw new Error("CREDENTIAL_HEADER: authorization holds the invoker's token, not the caller's");
    }
    return { serviceAccount, audience, keysUrl: read.INVOKER_KEYS_EMULATOR_URL ?? GOOGLE_KEYS_URL, onCloudRun };
  }
  if (onCloudRun) throw new Error('INVOKER_SERVICE_ACCOUNT, INVOKER_AUDIENCE: needed on Cloud Run');
  if (serviceAccount || audience) throw new Error('INVOKER_SERVICE_ACCOUNT, INVOKER_AUDIENCE: both or neither');
  return undefined;
}

function readIdentity(read: Variables): IdentityConfig | undefined {
  const { IDENTITY_ISSUER: issuer, IDENTITY_AUDIENCE: audience, IDENTITY_JWKS_URL: jwksUrl } = read;
  if (issuer && audience && jwksUrl) return { issuer, audience, jwksUrl, tokenType: read.IDENTITY_TOKEN_TYPE };
  if (issuer || audience || jwksUrl) {
    throw new Error('IDENTITY_ISSUER, IDENTITY_AUDIENCE, IDENTITY_JWKS_URL: all three or none');
  }
  return undefined;
}

function readBilling(read: Variables, identity: IdentityConfig | undefined): BillingConfig | undefined {
  const { STRIPE_SECRET_KEY: secretKey, STRIPE_WEBHOOK_SECRET: webhookSecret, STRIPE_PRICE_ID: priceId } = read;
  if (secretKey && webhookSecret && priceId) {
    if (identity === undefined) throw new Error('STRIPE_SECRET_KEY: billing needs an identity provider');
    if (read.CONSOLE_ORIGIN === undefined) throw new Error('CONSOLE_ORIGIN: billing needs to know it');
    const returnUrl = `${read.CONSOLE_ORIGIN}/billing`;
    return { secretKey, webhookSecret, priceId, returnUrl, emulatorHost: read.STRIPE_EMULATOR_HOST };
  }
  if (secretKey || webhookSecret || priceId) {
    throw new Error('STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET, STRIPE_PRICE_ID: all three or none');
  }
  return undefined;
}

/** Whether nobody between here and there can put other keys in the place of the provider's. */
function isSafeFromOthers(address: string): boolean {
  const url = URL.parse(address);
  if (url === null || url.protocol === 'https:') return true;
  return url.hostname === 'localhost' || url.hostname === '[::1]' || /^127(\.\d+){3}$/.test(url.hostname);
}
