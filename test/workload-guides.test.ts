import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseDocument } from 'yaml';
import { z } from 'zod';
import { parseFederations, viewFederation } from '../shared/tenancy/federation.ts';
import { ROOT } from './sources.ts';

const page = readFileSync(join(ROOT, 'docs/workload-identity.md'), 'utf8');

/** Returns the code blocks of a language in a section of the page. */
function blocksIn(title: string, language: string): string[] {
  const [, section = ''] = new RegExp(`^## ${title}$([^]*?)(?=^## |$(?![^]))`, 'm').exec(page) ?? [];
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
