import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Command } from '../../step.ts';
import { type Comparison, type Context, resource } from '../resource.ts';

const ROOT = join(import.meta.dirname, '../../..');
const RULES = 'https://firebaserules.googleapis.com/v1';
const HOSTING = 'https://firebasehosting.googleapis.com/v1beta1';

const releases = z.object({ releases: z.array(z.object({ name: z.string(), rulesetName: z.string() })).default([]) });
const ruleset = z.object({ source: z.object({ files: z.array(z.object({ content: z.string() })) }) });
const hosted = z.object({
  releases: z
    .array(
      z.object({
        type: z.string().optional(),
        version: z.object({
          config: z.object({ headers: z.array(z.object({ headers: z.record(z.string(), z.string()) })).default([]) }),
        }),
      }),
    )
    .default([]),
});

/** Returns a command that reads a resource for which gcloud has no command. */
function get(url: string): Command {
  return ['curl', '--fail', '--silent', '--show-error', url];
}

/** The rules of Firestore, which must equal the file: weaker rules would open the database to browsers. */
export function compareRules({ deployment: { project }, ask, isEnabled }: Context): Comparison {
  const found = isEnabled('firebaserules')
    ? ask(get(`${RULES}/projects/${project}/releases`), releases).releases.filter(({ name }) =>
        name.endsWith('/releases/cloud.firestore'),
      )
    : [];
  return {
    expected: [resource('Firestore rules', { content: readFileSync(join(ROOT, 'firestore.rules'), 'utf8') })],
    found: found.map(({ rulesetName }) => {
      const { source } = ask(get(`${RULES}/${rulesetName}`), ruleset);
      return resource('Firestore rules', { content: source.files.map(({ content }) => content).join('') });
    }),
  };
}

/** The console’s content security policy, which must allow the API and the identity provider, and nothing else. */
export function compareConsole(context: Context): Comparison {
  const { deployment, ask, isEnabled } = context;
  const { project, identity, consoleOrigin } = deployment;
  if (identity === undefined || consoleOrigin === undefined) return { expected: [], found: [] };
  const url = `${HOSTING}/sites/${project}/releases?pageSize=1`;
  const found = (isEnabled('firebasehosting') ? ask(get(url), hosted).releases : []).filter(
    ({ type }) => type !== 'SITE_DISABLE',
  );
  const api = deployment.apiOrigin ?? (context.gatewayHost === undefined ? '' : `https://${context.gatewayHost}`);
  return {
    expected: [
      resource('console on Firebase Hosting', { connects: `'self' ${api} ${new URL(identity.issuer).origin}` }),
    ],
    found: found.map(({ version }) => {
      const policies = version.config.headers.flatMap(({ headers }) => headers['Content-Security-Policy'] ?? []);
      return resource('console on Firebase Hosting', {
        connects: policies.map((policy) => /connect-src ([^;]*)/.exec(policy)?.[1]).join(' and '),
      });
    }),
  };
}
