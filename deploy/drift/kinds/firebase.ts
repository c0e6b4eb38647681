import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { gzipSync } from 'node:zlib';
import { z } from 'zod';
import { hostingConfig } from '../../hosting-config.ts';
import type { Command } from '../../step.ts';
import { type Comparison, type Context, type Resource, resource } from '../resource.ts';

const ROOT = join(import.meta.dirname, '../../..');
const RULES = 'https://firebaserules.googleapis.com/v1';
const HOSTING = 'https://firebasehosting.googleapis.com/v1beta1';

const releases = z.object({ releases: z.array(z.object({ name: z.string(), rulesetName: z.string() })).default([]) });
const ruleset = z.object({ source: z.object({ files: z.array(z.object({ content: z.string() })) }) });
const version = z.object({
  name: z.string(),
  config: z.object({
    headers: z.array(z.object({ glob: z.string().optional(), headers: z.record(z.string(), z.string()) })).default([]),
    rewrites: z.array(z.object({ glob: z.string().optional(), path: z.string().optional() })).default([]),
  }),
});
const hosted = z.object({
  releases: z.array(z.object({ type: z.string().optional(), version: version.optional() })).default([]),
});
const files = z.object({
  files: z.array(z.object({ path: z.string(), hash: z.string() })).default([]),
  nextPageToken: z.string().optional(),
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
    found: found.map(({ config }) =>
      viewConsole(
        config.headers
          .filter(({ glob }) => !(deployment.docs && glob?.startsWith('/docs/')))
          .map(({ glob = '', headers }) => [glob, headers]),
        config.rewrites.map(({ glob, path }) => `${glob} to ${path}`),
      ),
    ),
  };
}

/** The files of the console and of the documentation in it. They are compared only if the console is built. */
export function compareConsoleFiles(context: Context): Comparison {
  const { consoleFolder } = context;
  const [site] = readHosted(context);
  if (consoleFolder === undefined || site === undefined) return { expected: [], found: [] };
  const built = globSync('**/*', { cwd: consoleFolder, withFileTypes: true }).filter((entry) => entry.isFile());
  return {
    expected: built
      .map((file) => join(file.parentPath, file.name))
      .toSorted()
      .map((path) => viewFile(`/${relative(consoleFolder, path)}`, hashAsHosted(readFileSync(path)))),
    found: [...readFiles(context, site.name)].map(({ path, hash }) => viewFile(path, hash)),
  };
}

/** Returns the hash that Firebase Hosting has of a file: Firebase's command uploads files compressed. */
function hashAsHosted(content: Uint8Array): string {
  return createHash('sha256')
    .update(gzipSync(content, { level: 9 }))
    .digest('hex');
}

function viewFile(path: string, hash: string): Resource {
  return resource(`console file ${path}`, { hash });
}

/** Yields the files that a version of the site serves. */
function* readFiles({ ask }: Context, name: string) {
  const url = `${HOSTING}/${name}/files?status=ACTIVE&pageSize=1000`;
  for (let page = ''; ; ) {
    const { files: some, nextPageToken } = ask(get(`${url}${page}`), files);
    yield* some;
    if (nextPageToken === undefined) return;
    page = `&pageToken=${nextPageToken}`;
  }
}

export function isConsoleHosted(context: Context): boolean {
  return readHosted(context).length > 0;
}

/** Returns the version of the site's newest release, unless there is no console, or the site is disabled. */
function readHosted({ deployment: { project, identity, consoleOrigin }, ask, isEnabled }: Context) {
  if (identity === undefined || consoleOrigin === undefined) return [];
  const url = `${HOSTING}/sites/${project}/releases?pageSize=1`;
  const found = isEnabled('firebasehosting') ? ask(get(url), hosted).releases : [];
  return found.flatMap(({ type, version }) => (type === 'SITE_DISABLE' ? [] : (version ?? [])));
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
