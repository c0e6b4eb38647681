/*
 * Pins the base image of the policy decision point to the digest of the tested version: npx node deploy/update-base-image.ts
 *
 * The version is that of the package @cerbos/cerbos-linux-x64 in package.json. With --check, changes nothing, and exits
 * with 1 if the digest in policies/Dockerfile is not that of the registry.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { fetchDigest, pinBaseImage, readBaseImage } from './base-image.ts';

const ROOT = join(import.meta.dirname, '..');
const DOCKERFILE = join(ROOT, 'policies/Dockerfile');

const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } });
const manifest = z.object({ optionalDependencies: z.object({ '@cerbos/cerbos-linux-x64': z.string() }) });
const { optionalDependencies } = manifest.parse(JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')));
const version = optionalDependencies['@cerbos/cerbos-linux-x64'];
const before = readFileSync(DOCKERFILE, 'utf8');
const { registry, repository } = readBaseImage(before);
const after = pinBaseImage(before, version, await fetchDigest(`https://${registry}`, repository, version));
if (!values.check) writeFileSync(DOCKERFILE, after);
else if (after !== before) process.exitCode = 1;
process.stdout.write(
  `${/^FROM (.*)$/m.exec(after)?.[1]}: ${after === before ? 'already pinned' : values.check ? 'not pinned' : 'pinned'}\n`,
);
