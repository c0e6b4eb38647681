import { existsSync, readFileSync } from 'node:fs';
import { z } from 'zod';

/** Used in comma-separated gcloud arguments, and in a bash script, which expands `$`. */
const listed = z.string().regex(/^[^,$\s]+$/, 'must not contain a comma, dollar sign or space');
const scopes = z.string().regex(/^[^,$]+$/, 'must not contain a comma or dollar sign');
const location = z.string().regex(/^[a-z]+(-[a-z]+)*\d{0,2}$/, 'must be a Google Cloud location, such as us-central1');

const schema = z.strictObject({
  project: z.string().regex(/^[a-z][a-z0-9-]{4,28}[a-z0-9]$/, 'must be a Google Cloud project ID'),
  projectNumber: z.string().regex(/^\d{6,}$/, 'must be a project number in quotes'),
  /** The region of the functions, gateway, key rings, images and schedules. */
  region: location,
  /** A region, or a multi-region such as `nam5`. Cannot be changed later. */
  firestoreLocation: location,
  /** The protection level of the wrapped root. Cannot be changed later. */
  rootProtection: z.enum(['software', 'hsm']),
  /** The first part of each audit log's name: a host name, optionally with a path. Cannot be changed later. */
  auditOrigin: listed,
  alertEmail: z.email(),
  /** Whether to send an alert when a tenant weakens its own protection. */
  weakeningAlert: z.boolean().default(false),
  /** The position of the client's address in X-Forwarded-For, counted from the right. Find it by trying. */
  trustedProxyHops: z.int().min(1).max(10),
  /** If unset, there is no console. */
  identity: z
    .strictObject({
      issuer: listed,
      audience: listed,
      jwksUrl: listed.startsWith('https://', 'must start with https://'),
      /** The `typ` of access tokens. Use `JWT` if the provider does not follow RFC 9068. */
      tokenType: z.enum(['at+jwt', 'JWT']).default('at+jwt'),
      /** The public client with which people sign in to the console and `esk`. */
      clientId: listed.default('console'),
      scope: scopes.default('openid email profile'),
    })
    .optional(),
  consoleOrigin: listed.optional(),
  /** If unset, there is no billing. Stripe's two secrets are in Secret Manager, not here. */
  billing: z.strictObject({ stripePriceId: listed }).optional(),
  /** Whether to serve the routes for Vault clients. */
  transit: z.boolean().default(false),
  /** The URL that receives metrics. If unset, no metrics are sent. */
  metricsEndpoint: listed.optional(),
});

/** The settings of a deployment. A project has only one. */
export type Deployment = z.output<typeof schema>;

/** Throws an `Error` that names every missing, unknown or malformed setting. */
export function readDeployment(file: string): Deployment {
  if (!existsSync(file)) throw new Error(`${file} not found. Copy deploy/deployment.example.json and edit it.`);
  const parsed = schema.safeParse(JSON.parse(readFileSync(file, 'utf8')));
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.map(({ path, message }) => `${path.join('.') || 'the file'}: ${message}`);
  throw new Error(`${file}: ${issues.join('; ')}`);
}
