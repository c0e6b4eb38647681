import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { NodePackage } from './node-packages.ts';

/**
 * Returns a list of what is in an executable, in the format CycloneDX 1.6. It has no serial number and no time, so that
 * two builds have the same bytes.
 */
export function billOfMaterials(version: string, node: NodePackage, packages: readonly BundledPackage[]): string {
  const application = { type: 'application', name: 'esk', version, licenses: [{ license: { id: 'Apache-2.0' } }] };
  const runtime = {
    type: 'platform',
    name: 'node',
    version: node.version,
    purl: `pkg:npm/${node.name}@${node.version}`,
    hashes: [
      { alg: 'SHA-512', content: Buffer.from(node.integrity.slice('sha512-'.length), 'base64').toString('hex') },
    ],
  };
  const libraries = packages.map((one) => ({
    type: 'library',
    name: one.name,
    version: one.version,
    licenses: [{ expression: one.license }],
    purl: `pkg:npm/${one.name.replace('@', '%40')}@${one.version}`,
  }));
  const document = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: application },
    components: [runtime, ...libraries],
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

const ROOT = join(import.meta.dirname, '../..');
const manifest = z.object({ name: z.string(), version: z.string(), license: z.string() });

/** An npm package whose code is in the executable. */
export interface BundledPackage {
  readonly name: string;
  readonly version: string;
  /** The SPDX expression of the license. */
  readonly license: string;
  /** The text of the license. */
  readonly text: string;
}

/** Returns the packages of bundled files, sorted by name. Throws if a package has no text of its license. */
export function bundledPackages(inputs: readonly string[]): BundledPackage[] {
  const folders = inputs.flatMap((input) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0] ?? []);
  return [...new Set(folders)]
    .map((folder) => {
      const path = join(ROOT, folder);
      const { name, version, license } = manifest.parse(JSON.parse(readFileSync(join(path, 'package.json'), 'utf8')));
      const file = readdirSync(path).find((one) => /^licen[cs]e(\.|$)/i.test(one));
      if (file === undefined || !existsSync(join(path, file))) throw new Error(`${folder} has no license`);
      return { name, version, license, text: readFileSync(join(path, file), 'utf8') };
    })
    .toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

/** Returns the licenses of the bundled packages as one text. */
export function licensesOf(packages: readonly BundledPackage[]): string {
  return packages
    .map(({ name, version, license, text }) => `${name} ${version} (${license})\n\n${text.trim()}\n`)
    .join('\n---\n\n');
}
