import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { hostingConfig } from '../../hosting-config.ts';
import type { Command } from '../../step.ts';
import { type Comparison, type Context, type Resource, resource } from '../resource.ts';

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
          config: z.object({
            headers: z
              .array(z.object({ glob: z.string().optional(), headers: z.record(z.string(), z.string()) }))
              .default([]),
            rewrites: z.array(z.object({ glob: z.string().optional(), path: z.string().optional() })).default([]),
          }),
        }),
      }),
    )
    .default([]),
});

const settings = z.object({
  hosting: z.object({
    headers: z.array(
      z.object({ source: z.string(), headers: z.array(z.object({ key: z.string(), value: z.string() })) }),
    ),
    rewrites: z.array(z.object({ source: z.string(), destination: z.string() })),
  }),
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

/**
 * The headers and rewrites of the console. Its content security policy must allow the API and the identity provider, and
 * nothing else. The headers of the documentation are not compared: they depend on its files.
 */
export function compareConsole(context: Context): Comparison {
  const { deployment, gatewayHost } = context;
  const { identity, consoleOrigin } = deployment;
  if (identity === undefined || consoleOrigin === undefined) return { expected: [], found: [] };
  const found = readHosted(context);
  const api = deployment.apiOrigin ?? `https://${gatewayHost ?? 'no-gateway.invalid'}`;
  const firebase = readFileSync(join(ROOT, 'firebase.json'), 'utf8');
  const { hosting } = settings.parse(JSON.parse(hostingConfig(firebase, api, identity.issuer)));
  return {
    expected: [
      viewConsole(
        hosting.headers.map(({ source, headers }) => [
          source,
          Object.fromEntries(headers.map(({ key, value }) => [key, value])),
        ]),
        hosting.rewrites.map(({ source, destination }) => `${source} to ${destination}`),
      ),
    ],
    found: found.map(({ version: { config } }) =>
      viewConsole(
        config.headers
          .filter(({ glob }) => !(deployment.docs && glob?.startsWith('/docs/')))
          .map(({ glob = '', headers }) => [glob, headers]),
        config.rewrites.map(({ glob, path }) => `${glob} to ${path}`),
      ),
    ),
  };
}

export function isConsoleHosted(context: Context): boolean {
  return readHosted(context).length > 0;
}

/** Returns the site's newest release, unless the site has none or is disabled. */
function readHosted({ deployment: { project }, ask, isEnabled }: Context) {
  const url = `${HOSTING}/sites/${project}/releases?pageSize=1`;
  const found = isEnabled('firebasehosting') ? ask(get(url), hosted).releases : [];
  return found.filter(({ type }) => type !== 'SITE_DISABLE');
}

function viewConsole(
  rules: readonly (readonly [paths: string, headers: Readonly<Record<string, string>>])[],
  rewrites: readonly string[],
): Resource {
  const headers = rules.flatMap(([paths, all]) =>
    Object.entries(all).map(([name, value]) => [`${name} of ${paths}`, value] as const),
  );
  return resource('console on Firebase Hosting', {
    headers: headers
      .map(([name]) => name)
      .toSorted()
      .join(', '),
    ...Object.fromEntries(headers),
    rewrites: rewrites.join(', '),
  });
}
