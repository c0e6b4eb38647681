import { z } from 'zod';

/**
 * A value that is used in gcloud's lists, where commas separate values, and in the script, where `$` starts a variable.
 */
const listed = z.string().regex(/^[^,$\s]+$/, 'must not contain a comma, dollar sign or space');
/** A value inside JSON, in a list that `|` separates. */
const inJson = z.string().regex(/^[^|"\\$\s]+$/, 'must not contain a bar, quote, backslash, dollar sign or space');
const scopes = z.string().regex(/^[^,$]+$/, 'must not contain a comma or dollar sign');
const location = z.string().regex(/^[a-z]+(-[a-z]+)*\d{0,2}$/, 'must be a Google Cloud location, such as us-central1');

/** The schema of `deployment.json`. The descriptions also become a table in docs/deploy.md. */
const schema = z.strictObject({
  project: z
    .string()
    .regex(/^[a-z][a-z0-9-]{4,28}[a-z0-9]$/, 'must be a Google Cloud project ID')
    .describe('the ID of the Google Cloud project'),
  projectNumber: z
    .string()
    .regex(/^\d{6,}$/, 'must be a project number in quotes')
    .describe('the number of the project, as a string'),
  region: location.describe(
    'the region of the functions, the gateway, the key rings and the schedules. You cannot move keys to another region later',
  ),
  firestoreLocation: location.describe(
    'the region of the database, or a multi-region such as `nam5`, which survives [the loss of a region](lost-parts.md). You cannot change it later',
  ),
  rootProtection: z
    .enum(['software', 'hsm'])
    .describe(
      'the protection level of the [wrapped root](restore.md#the-wrapped-root): `hsm` or `software`. You cannot change it later',
    ),
  auditOrigin: listed.describe(
    'the first part of the names of the [sealed audit logs](audit.md), such as your host name. You cannot change it later',
  ),
  alertEmail: z.email().describe('the address that receives [alerts](operate.md#alerts)'),
  budget: z
    .strictObject({
      billingAccount: z
        .string()
        .regex(
          /^[0-9A-F]{6}-[0-9A-F]{6}-[0-9A-F]{6}$/,
          'must be the ID of a billing account, such as 012345-6789AB-CDEF01',
        )
        .describe("the project's billing account. You need the right to create budgets on it"),
      monthlyAmount: z
        .string()
        .regex(/^\d+[A-Z]{3}$/, 'must be an amount and a currency, such as 500USD')
        .describe("the amount in the billing account's currency, such as `500USD`"),
    })
    .optional()
    .describe('a monthly [budget](upkeep.md#cost-alerts). You get a message at half and at all of the amount'),
  weakeningAlert: z
    .boolean()
    .default(false)
    .describe(
      'if `true`, you also get an alert when a tenant [weakens its protection](operate.md#weakened-protection)',
    ),
  trustedProxyHops: z
    .int()
    .min(1)
    .max(10)
    .describe(
      "the position of the client's address in `X-Forwarded-For`, counted from the right. Start with 1; [step 6](#from-nothing-to-the-first-request) finds the right number",
    ),
  identity: z
    .strictObject({
      issuer: listed.describe(
        "`issuer` in the provider's `/.well-known/openid-configuration`. Copy it exactly, including a slash at the end",
      ),
      audience: listed.describe('the identifier of this API at the provider. Access tokens have it in `aud`'),
      jwksUrl: listed
        .startsWith('https://', 'must start with https://')
        .describe("`jwks_uri` in the provider's `/.well-known/openid-configuration`. It must be `https`"),
      tokenType: z
        .enum(['at+jwt', 'JWT'])
        .default('at+jwt')
        .describe('`typ` in the header of an access token. Set `JWT` if the provider does not follow RFC 9068'),
      clientId: listed
        .default('console')
        .describe(
          "the ID of a public client at the provider, for the authorization code flow with PKCE. Its redirect URIs are the console's `/callback`, and `http://127.0.0.1/callback` on any port for `esk`",
        ),
      scope: scopes
        .default('openid email profile')
        .describe(
          'the scopes that the console and `esk` request. If they include `offline_access`, `esk` stays signed in',
        ),
    })
    .optional()
    .describe('the settings of the [identity provider](#the-identity-provider). Without them, there is no console'),
  workloadIssuers: z
    .array(
      z.strictObject({
        issuer: inJson.startsWith('https://', 'must start with https://'),
        claims: z.array(inJson).min(1),
        maxLifetime: z.int().min(1).max(86_400).default(86_400),
      }),
    )
    .default([])
    .describe(
      'the issuers of ID tokens for [workloads](workload-identity.md): a list of `issuer`, `claims` and `maxLifetime`, as in the variable [`WORKLOAD_ISSUERS`](settings.md#variables)',
    ),
  consoleOrigin: listed
    .optional()
    .describe(
      'the origin of the console, and the only origin from which CORS allows requests. The console and billing need it',
    ),
  docs: z
    .boolean()
    .default(false)
    .describe('if `true`, the [documentation](site.md) is published beside the console, at `/docs/`'),
  apiOrigin: z
    .string()
    .regex(/^https:\/\/[a-z0-9-]+(\.[a-z0-9-]+)+$/, 'must be an origin, such as https://api.example.com')
    .optional()
    .describe(
      "your own [domain](upkeep.md#a-domain) for the API. Without it, callers use the gateway's address. Set it in a second deployment",
    ),
  // Stripe's two secrets are missing here, because secrets do not belong in the file.
  billing: z
    .strictObject({
      stripePriceId: listed.describe('the ID of the [price](billing.md#setting-it-up) of a subscription'),
    })
    .optional()
    .describe('the settings of Stripe. Without them, there is no billing'),
  transit: z.boolean().default(false).describe('if `true`, the service has the routes for [Vault clients](transit.md)'),
  metricsEndpoint: listed
    .optional()
    .describe('the address that receives [metrics](operate.md#metrics). Without it, the service sends no metrics'),
});

/** The schema with the settings that need each other. */
export const consistent = schema
  .refine(({ billing, consoleOrigin }) => billing === undefined || consoleOrigin !== undefined, {
    path: ['billing'],
    message: 'needs consoleOrigin',
  })
  .refine(({ billing, identity }) => billing === undefined || identity !== undefined, {
    path: ['billing'],
    message: 'needs identity',
  });

/** A setting of `deployment.json`. For a nested setting, the name is a path with dots. */
interface Setting {
  readonly name: string;
  /** The default, `required` if the setting has none, or empty if the setting may be missing. */
  readonly defaultValue: string;
  readonly meaning: string;
}

/** Returns every setting, in the order of the schema. */
export function listSettings(): Setting[] {
  return settingsIn(z.toJSONSchema(schema, { io: 'input' }), '');
}

function settingsIn({ properties = {}, required = [] }: z.core.JSONSchema.JSONSchema, prefix: string): Setting[] {
  return Object.entries(properties).flatMap(([key, property]) => {
    if (typeof property === 'boolean') return [];
    const name = `${prefix}${key}`;
    const defaultValue = required.includes(key) ? 'required' : `${property.default ?? ''}`;
    return [{ name, defaultValue, meaning: property.description ?? '' }, ...settingsIn(property, `${name}.`)];
  });
}

/** The operator's settings of a deployment. A project has one deployment. */
export type Deployment = z.output<typeof schema>;
