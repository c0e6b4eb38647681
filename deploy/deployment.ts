import { existsSync, readFileSync } from 'node:fs';
import { z } from 'zod';

/** A value in a list of gcloud's, which commas separate, and in a script, which expands variables. */
const listed = z.string().regex(/^[^,$\s]+$/, 'must not contain a comma, dollar sign or space');
const scopes = z.string().regex(/^[^,$]+$/, 'must not contain a comma or dollar sign');
const location = z.string().regex(/^[a-z]+(-[a-z]+)*\d{0,2}$/, 'must be a Google Cloud location, such as us-central1');

const schema = z.strictObject({
  project: z.string().regex(/^[a-z][a-z0-9-]{4,28}[a-z0-9]$/, 'must be a Google Cloud project ID'),
  projectNumber: z.string().regex(/^\d{6,}$/, 'must be a project number in quotes'),
  /** The region of functions, gateway, key rings, image and schedules. */
  region: location,
  /** A region or a multi-region such as `nam5`. It can never be changed. */
  firestoreLocation: location,
  /** The protection level of the wrapped root. It can never be changed. */
  rootProtection: z.enum(['software', 'hsm']),
  /** What the names of the sealed audit logs begin with: a host name, with a path or without. It can never be changed. */
  auditOrigin: listed,
  /** Where alerts are sent. */
  alertEmail: z.email(),
  /** Whether there is an alert when a tenant weakens its own protection. */
  weakeningAlert: z.boolean().default(false),
  /** The position of the client's address in X-Forwarded-For, counted from the right. Found by trying. */
  trustedProxyHops: z.int().min(1).max(10),
  /** Without it there is no console. */
  identity: z
    .strictObject({
      issuer: listed,
      audience: listed,
      jwksUrl: listed.startsWith('https://', 'must start with https://'),
      /** The `typ` of access tokens: `JWT` for a provider that does not follow RFC 9068. */
      tokenType: z.enum(['at+jwt', 'JWT']).default('at+jwt'),
      /** The public client that console and command-line programs sign people in as, and the scopes that they ask for. */
      clientId: listed.default('console'),
      scope: scopes.default('openid email profile'),
    })
    .optional(),
  consoleOrigin: listed.optional(),
  /** Without it there is no billing. Stripe's two secrets are not part of it. */
  billing: z.strictObject({ stripePriceId: listed }).optional(),
  /** Whether programs that speak to Vault's Transit engine are answered. */
  transit: z.boolean().default(false),
  /** Where metrics are sent; without it none are. */
  metricsEndpoint: listed.optional(),
});

/** The operator's settings of a deployment, of which there is one in a project. */
export type Deployment = z.output<typeof schema>;

/** Reads the settings from a file. Throws an `Error` that names every setting that is missing, unknown or malformed. */
export function readDeployment(file: string): Deployment {
  if (!existsSync(file)) throw new Error(`${file} not found. Copy deploy/deployment.example.json and edit it.`);
  const parsed = schema.safeParse(JSON.parse(readFileSync(file, 'utf8')));
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.map(({ path, message }) => `${path.join('.') || 'the file'}: ${message}`);
  throw new Error(`${file}: ${issues.join('; ')}`);
}
