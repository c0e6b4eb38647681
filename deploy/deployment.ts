import { readFileSync } from 'node:fs';
import { z } from 'zod';

/** A comma would part it in gcloud's lists, and a dollar sign in the script. */
const listed = z.string().regex(/^[^,$\s]+$/, 'must hold no comma, dollar sign or space');
const location = z.string().regex(/^[a-z]+(-[a-z]+)*\d{0,2}$/, 'must be a location of Google Cloud');

const schema = z.strictObject({
  project: z.string().regex(/^[a-z][a-z0-9-]{4,28}[a-z0-9]$/, 'must be a project id'),
  projectNumber: z.string().regex(/^\d{6,}$/, 'must be a project number, as a string'),
  /** Of functions, gateway, key rings, image and schedules. */
  region: location,
  /** A region, or a multi-region such as `nam5`. It can never be changed. */
  firestoreLocation: location,
  /** Of the wrapped root. It can never be changed. */
  rootProtection: z.enum(['software', 'hsm']),
  /** Who is told of alerts. */
  alertEmail: z.email(),
  /** How many entries from the right of X-Forwarded-For the client's address is, found by trying. */
  trustedProxyHops: z.int().min(1).max(10),
  /** Without it there is no console. */
  identity: z
    .strictObject({
      issuer: listed,
      audience: listed,
      jwksUrl: listed.startsWith('https://', 'must be https'),
      /** The type that access tokens say they are of: `JWT` for a provider that does not follow RFC 9068. */
      tokenType: z.enum(['at+jwt', 'JWT']).default('at+jwt'),
    })
    .optional(),
  consoleOrigin: listed.optional(),
  /** Without it there is no billing. The two secrets of Stripe do not stand here. */
  billing: z.strictObject({ stripePriceId: listed }).optional(),
  /** Where metrics are sent; without it none are. */
  metricsEndpoint: listed.optional(),
});

/** What an operator decides: one project, one region, one deployment of the service. */
export type Deployment = z.infer<typeof schema>;

/** Reads and checks an operator's file. Throws an `Error` that names every setting that is missing, unknown or malformed. */
export function readDeployment(file: string): Deployment {
  const parsed = schema.safeParse(JSON.parse(readFileSync(file, 'utf8')));
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.map(({ path, message }) => `${path.join('.') || 'the file'}: ${message}`);
  throw new Error(`${file}: ${issues.join('; ')}`);
}
