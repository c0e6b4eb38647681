import { spawnSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseDocument } from 'yaml';
import { z } from 'zod';
import { anchorFor } from '../docs/.vitepress/markdown.ts';
import { PAGES, SIDEBAR } from '../docs/.vitepress/pages.ts';
import { ERROR_CODES } from '../shared/errors.ts';
import { parseFederations, viewFederation } from '../shared/tenancy/federation.ts';
import { ROOT, sources } from './sources.ts';
import { isInstalled } from './support/programs.ts';

const pages = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'CHANGELOG.md',
  'bench/README.md',
  'bench/RESULTS.md',
  'client/README.md',
  'test/reliability/README.md',
  ...globSync('emulators/**/README.md', { cwd: ROOT }),
  ...globSync('docs/**/*.md', { cwd: ROOT }),
];
const read = (page: string) => readFileSync(join(ROOT, page), 'utf8');

/** Returns all matches of the pattern’s first group, sorted and without duplicates. */
function all(text: string, pattern: RegExp): string[] {
  return [...new Set([...text.matchAll(pattern)].map(([, found = '']) => found))].sort();
}

/** Returns the part of a page under a second-level heading. */
function section(page: string, heading: string): string {
  const [, , after = ''] = page.split(new RegExp(`^(## ${heading})$`, 'm'));
  return after.split(/^## /m)[0] ?? '';
}

/** Returns the anchors of a page: those of its headings, and those of its `<a id>` tags. */
function anchors(page: string): string[] {
  const headings = [...page.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchorFor(heading));
  return [...headings, ...all(page, /<a id="([^"]+)">/g)];
}

describe.for(pages)('%s', (page) => {
  const links = all(read(page), /\]\((?!https?:)([^)\s]+)\)/g);

  test('every relative link on the page leads to an existing file and an existing heading', () => {
    const broken = links.filter((link) => {
      const [path = '', anchor] = link.split('#');
      const target = path === '' ? page : join(dirname(page), path);
      return !existsSync(join(ROOT, target)) || (anchor !== undefined && !anchors(read(target)).includes(anchor));
    });
    expect(broken).toEqual([]);
  });
});

test('the sidebar of the site has every page exactly once', () => {
  expect(PAGES.toSorted()).toEqual(pages.toSorted());
});

test('every error code has exactly one anchor on the troubleshooting page', () => {
  const found = [...read('docs/troubleshooting.md').matchAll(/<a id="(\w+)">/g)].map(([, code = '']) => code);
  expect(found.toSorted()).toEqual([...ERROR_CODES].toSorted());
});

test('the settings page explains exactly the environment variables of the configuration', () => {
  const known = all(read('shared/config.ts'), /^ {2}([A-Z][A-Z0-9_]*): /gm);
  expect(known).toContain('K_SERVICE');
  expect(all(section(read('docs/settings.md'), 'Variables'), /^\| `([^`]+)` \|/gm)).toEqual(known);
});

test('the data model describes exactly the collections of the service', () => {
  const shared = [...sources].flatMap(([path, source]) => (path.startsWith('shared/') ? source : []));
  const declared = all(shared.join('\n'), /[cC]ollection\(\s*'([^']+)'/g);
  expect(declared).toContain('keys');
  const table = section(read('docs/data-model.md'), 'Collections').split('###')[0] ?? '';
  expect(all(table, /^\| `([^`]+)` \|/gm)).toEqual(declared);
});

test('the security page lists everything that the console keeps in browser storage, and only `kept.ts` uses that storage', () => {
  const inConsole = [...sources].filter(([path]) => path.startsWith('console/src/'));
  const keepers = inConsole.filter(([, source]) =>
    /\b(?:localStorage|sessionStorage|cookie|indexedDB|caches)\b/.test(source),
  );
  expect(keepers.map(([path]) => path)).toEqual(['console/src/session/kept.ts']);
  const code = inConsole.map(([, source]) => source).join('\n');
  const named = all(code, /(?:setItem|keepForReturn)\((\w+), /g).map(
    (name) => new RegExp(`const ${name} = '(.+)';`).exec(code)?.[1] ?? name,
  );
  const page = section(read('docs/security.md'), 'The console in the browser');
  expect(
    all(page, /\| the token is stolen from storage \|(.*)$/gm)
      .flatMap((row) => all(row, /`([^`]+)`/g))
      .sort(),
  ).toEqual(named.filter((name) => name !== 'name').sort());
});

test('every npm script that a page mentions exists', () => {
  const { scripts } = z
    .object({ scripts: z.record(z.string(), z.string()) })
    .parse(JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')));
  const named = all(pages.map(read).join('\n'), /npm run (?:--silent )?([a-z:]+)\b(?! -w)/g);
  expect(named).toContain('deploy:docs');
  expect(named.filter((name) => scripts[name] === undefined)).toEqual([]);
});

const isGenerated = (page: string) => /^docs\/api(\/|\.)|CHANGELOG/.test(page);

/** Returns how many words of a page people wrote: code blocks and generated tables do not count. */
function wordsOf(page: string): number {
  const written = read(page)
    .replaceAll(/<!-- [\w -]+ -->\n[\s\S]*?<!-- end -->/g, '')
    .replaceAll(/^( *)```[\s\S]*?^\1```$/gm, '');
  return written.match(/\S*[\p{L}\p{N}]\S*/gu)?.length ?? 0;
}

test('the pages for developers, operators and auditors have at most 30,000 words', () => {
  const counted = PAGES.filter((page) => !isGenerated(page) && !SIDEBAR.Contributor?.includes(page));
  expect(counted.map(wordsOf).reduce((sum, words) => sum + words)).toBeLessThanOrEqual(30_000);
});

test('each page about a concept or a decision has at most 900 words', () => {
  expect((SIDEBAR['Start here'] ?? []).filter((page) => wordsOf(page) > 900)).toEqual([]);
});

test('every guide says what can go wrong, and how to go back', () => {
  const guides = (SIDEBAR['Developer: guides'] ?? []).filter((page) => page !== 'docs/troubleshooting.md');
  const incomplete = [...guides, 'docs/audit.md'].filter(
    (page) => !/^## What can go wrong$/m.test(read(page)) || !/^## How to go back$/m.test(read(page)),
  );
  expect(incomplete).toEqual([]);
});

test('every page except the README, the changelog and the security policy says in its first line for whom it is', () => {
  const introduced = PAGES.filter((page) => !['README.md', 'CHANGELOG.md', 'SECURITY.md'].includes(page));
  expect(introduced.filter((page) => !/^# .+\n\n(?:<!--.*-->\n\n)?For /.test(read(page)))).toEqual([]);
});

const allPages = globSync('**/*.md', { cwd: ROOT, exclude: ['**/node_modules', 'dist', '.*'] }).sort();
/** Returns the shell blocks of a page as one script, because later blocks use variables of earlier ones. */
function scriptOf(page: string): string {
  const blocks = [...read(page).matchAll(/^( *)```sh\n(.*?)^\1```/gms)];
  return blocks.map(([, indent = '', code = '']) => code.replaceAll(new RegExp(`^${indent}`, 'gm'), '')).join('\n');
}

/**
 * Warnings that do not apply to commands that people paste: variables that a person sets (2154) or uses later (2034),
 * unquoted variables without spaces (2086, 2046), `export` that hides a failure (2155), and `cd` without a check (2164).
 */
const EXCEPT = '2034,2046,2086,2154,2155,2164';

describe.skipIf(!isInstalled('shellcheck'))('the shell blocks of the docs', () => {
  test.for(allPages.filter((page) => scriptOf(page) !== ''))('shellcheck finds nothing in %s', (page) => {
    const { stdout } = spawnSync('shellcheck', ['--shell=bash', `--exclude=${EXCEPT}`, '--format=gcc', '-'], {
      input: scriptOf(page),
      encoding: 'utf8',
    });
    expect(stdout).toBe('');
  });
});

test('every command of Firebase in the docs sets the quota project, without which Google refuses a person’s call', () => {
  const commands = allPages.flatMap((page) =>
    [...read(page).matchAll(/[^`\n]*\bnpx firebase [^`\n]*/g)].map(([line]) => line),
  );
  expect(commands.length).toBeGreaterThan(0);
  expect(commands.filter((line) => !line.includes('GOOGLE_CLOUD_QUOTA_PROJECT='))).toEqual([]);
});

const guides = readFileSync(join(ROOT, 'docs/workload-identity.md'), 'utf8');

/** Returns the code blocks of a language in a section of the page. */
function blocksIn(title: string, language: string): string[] {
  const [, section = ''] = new RegExp(`^## ${title}$([^]*?)(?=^## |$(?![^]))`, 'm').exec(guides) ?? [];
  const blocks = section.matchAll(new RegExp(`^( *)\`\`\`${language}\n([^]*?)^ *\`\`\``, 'gm'));
  return [...blocks].map(([, , code = '']) => code);
}

function yamlIn(title: string): unknown {
  const [block = '', ...more] = blocksIn(title, 'yaml');
  expect(more).toEqual([]);
  const document = parseDocument(block, { strict: true, uniqueKeys: true });
  expect([...document.errors, ...document.warnings]).toEqual([]);
  return document.toJS();
}

const AUDIENCE = /^urn:uuid:[0-9a-f-]{36}$/;
const ISSUERS = [
  { issuer: 'https://token.actions.githubusercontent.com', claims: ['repository_id', 'repository_owner_id'] },
  { issuer: 'https://gitlab.com', claims: ['project_id', 'namespace_id'] },
  { issuer: 'https://accounts.google.com', claims: ['sub'] },
  { issuer: 'https://container.googleapis.com/v1/projects/acme/locations/europe-west1/clusters/main', claims: ['sub'] },
].map((one) => ({ ...one, maxLifetimeS: 86_400 }));

describe('the guides for workloads', () => {
  test.each(['How it works', 'GitHub Actions', 'GitLab', 'Google Cloud', 'Kubernetes'])(
    'the service accepts the federations in the guide: %s',
    (title) => {
      const [block = '[]', ...more] = blocksIn(title, 'json');
      expect(more).toEqual([]);
      const federations = z.array(z.unknown()).min(1).parse(JSON.parse(block));
      expect(parseFederations(federations, ISSUERS).map(viewFederation)).toEqual(federations);
    },
  );

  test.each(['GitHub Actions', 'GitLab', 'Google Cloud', 'Kubernetes'])(
    'the guide installs the package that the operator gives out, not one of a registry: %s',
    (title) => {
      const { name, version } = JSON.parse(readFileSync(join(ROOT, 'client/package.json'), 'utf8'));
      const lines = ['yaml', 'dockerfile'].flatMap((language) => blocksIn(title, language)).join('\n');
      expect(lines.match(/npm install .*/g)).toEqual([`npm install --global ./${name}-${version}.tgz`]);
      expect(readFileSync(join(ROOT, 'client/README.md'), 'utf8')).toContain(
        `npm install --global ${name}-${version}.tgz`,
      );
    },
  );

  test('the workflow for GitHub Actions may ask for an ID token, and names the API key', () => {
    expect(yamlIn('GitHub Actions')).toMatchObject({
      permissions: { 'id-token': 'write' },
      jobs: { backup: { env: { ESK_WORKLOAD: 'github', ESK_API_KEY_ID: expect.stringMatching(/^[0-9a-f-]{36}$/) } } },
    });
  });

  test('the job for GitLab asks for an ID token for the API key', () => {
    expect(yamlIn('GitLab')).toMatchObject({
      backup: { id_tokens: { WORKLOAD_TOKEN: { aud: expect.stringMatching(AUDIENCE) } } },
    });
  });

  test('the job for Google Cloud runs as a service account, and names the API key', () => {
    const env = expect.arrayContaining([{ name: 'ESK_WORKLOAD', value: 'google' }]);
    const spec = { serviceAccountName: expect.any(String), containers: [expect.objectContaining({ env })] };
    expect(yamlIn('Google Cloud')).toMatchObject({ kind: 'Job', spec: { template: { spec: { template: { spec } } } } });
  });

  test('the pod of Kubernetes reads the token for the API key from where it is mounted', () => {
    const token = { path: 'token', audience: expect.stringMatching(AUDIENCE) };
    const volumes = [{ projected: { sources: [{ serviceAccountToken: token }] } }];
    const env = expect.arrayContaining([{ name: 'ESK_API_KEY_FILE', value: '/var/run/esk/token' }]);
    const containers = [
      expect.objectContaining({ env, volumeMounts: [expect.objectContaining({ mountPath: '/var/run/esk' })] }),
    ];
    expect(yamlIn('Kubernetes')).toMatchObject({
      spec: { jobTemplate: { spec: { template: { spec: { containers, volumes } } } } },
    });
  });
});
