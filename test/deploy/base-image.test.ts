import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { fetchDigest, pinBaseImage, readBaseImage } from '../../deploy/base-image.ts';
import { listen, portOf } from '../../emulators/base/listen.ts';
import { ROOT } from '../sources.ts';

const dockerfile = readFileSync(join(ROOT, 'policies/Dockerfile'), 'utf8');
const INDEX = '{"schemaVersion":2,"manifests":[]}';
const DIGEST = `sha256:${createHash('sha256').update(INDEX).digest('hex')}`;

/** Starts a registry that gives a token, and answers only with this token. Returns its URL. */
async function startRegistry(claimed: string): Promise<string> {
  const registry = createServer(({ url = '', headers }, response) => {
    if (url === '/token?scope=repository:cerbos/cerbos:pull') return void response.end('{"token":"t"}');
    const known = url === '/v2/cerbos/cerbos/manifests/1.2.3' && headers.authorization === 'Bearer t';
    response.writeHead(known ? 200 : 404, { 'docker-content-digest': claimed }).end(INDEX);
  });
  onTestFinished(() => void registry.close());
  await listen(registry, 0);
  return `http://127.0.0.1:${portOf(registry)}`;
}

test('the decision point’s base image is pinned by digest, with the version that the tests use', () => {
  const { optionalDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  expect(readBaseImage(dockerfile)).toMatchObject({
    repository: 'cerbos/cerbos',
    version: optionalDependencies['@cerbos/cerbos-linux-x64'],
  });
  expect(() => readBaseImage('FROM ghcr.io/cerbos/cerbos:latest')).toThrow('does not pin');
});

test('an update replaces only the version and the digest, with the digest that the registry has', async () => {
  const digest = await fetchDigest(await startRegistry(DIGEST), 'cerbos/cerbos', '1.2.3');
  const updated = pinBaseImage(dockerfile, '1.2.3', digest);
  expect(updated).toContain(`\nFROM ghcr.io/cerbos/cerbos:1.2.3@${DIGEST}\n`);
  const others = (text: string) => text.split('\n').filter((line) => !line.startsWith('FROM '));
  expect(others(updated)).toEqual(others(dockerfile));
});

test('a registry whose content does not have the digest that it claims is refused', async () => {
  const origin = await startRegistry(`sha256:${'0'.repeat(64)}`);
  await expect(fetchDigest(origin, 'cerbos/cerbos', '1.2.3')).rejects.toThrow('the content has the digest');
});

test('an unknown version is an error', async () => {
  await expect(fetchDigest(await startRegistry(DIGEST), 'cerbos/cerbos', '9.9.9')).rejects.toThrow('404');
});
