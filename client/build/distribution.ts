import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { z } from 'zod';
import { VERSION } from '../src/api/generated.ts';
import { completionScript, SHELLS } from '../src/cli/commands/completion.ts';
import { makeProgram } from '../src/cli/program.ts';
import { bundle, makeExecutable } from './make-executable.ts';
import { writeManPages } from './man-page.ts';
import { findPackage, type NodePackage, nodeLicense, PLATFORMS, type Platform } from './node-packages.ts';

const OWN_LICENSE = join(import.meta.dirname, '../LICENSE');

/** The file names under which shells look for a completion script. */
const COMPLETION_FILES = { bash: 'esk', zsh: '_esk', fish: 'esk.fish' } as const;

/**
 * Writes the platforms' executables, archives and bills of materials with checksums, the man pages and the completion
 * scripts into a folder. Two builds of one commit have the same bytes.
 */
export async function buildDistribution(folder: string, platforms: readonly Platform[]): Promise<void> {
  const completion = join(folder, 'completion');
  mkdirSync(completion, { recursive: true });
  for (const shell of SHELLS) {
    writeFileSync(join(completion, COMPLETION_FILES[shell]), completionScript(makeProgram(), shell));
  }
  writeManPages(join(folder, 'man'));
  const { text, inputs } = await bundle();
  const packages = bundledPackages(inputs);
  const names = platforms.flatMap((platform) => {
    const name = `esk-${platform}`;
    makeExecutable(platform, text, join(folder, name));
    writeFileSync(
      join(folder, `${name}.cdx.json`),
      billOfMaterials(VERSION, findPackage(PLATFORMS[platform]), packages),
    );
    packPlatform(folder, platform, packages);
    return [name, `${name}.tar.gz`, `${name}.cdx.json`];
  });
  const sums = names.map((name) => `${hashOf(join(folder, name))}  ${name}\n`);
  writeFileSync(join(folder, 'SHA256SUMS'), sums.join(''));
}

/** Packs a platform's executable with the licenses of everything in it, its bill of materials, man pages and completion. */
function packPlatform(folder: string, platform: Platform, packages: readonly BundledPackage[]): void {
  const name = `esk-${platform}`;
  const parent = mkdtempSync(join(tmpdir(), 'esk-archive-'));
  try {
    const inside = join(parent, name);
    mkdirSync(inside);
    copyFileSync(join(folder, name), join(inside, 'esk'));
    symlinkSync('esk', join(inside, 'age-plugin-esk'));
    copyFileSync(join(folder, `${name}.cdx.json`), join(inside, 'bill-of-materials.cdx.json'));
    copyFileSync(OWN_LICENSE, join(inside, 'LICENSE'));
    writeFileSync(join(inside, 'LICENSE.node'), nodeLicense(findPackage(PLATFORMS[platform])));
    writeFileSync(join(inside, 'LICENSE.packages'), licensesOf(packages));
    for (const one of ['man', 'completion']) cpSync(join(folder, one), join(inside, one), { recursive: true });
    packArchive(parent, name, join(folder, `${name}.tar.gz`));
  } finally {
    rmSync(parent, { recursive: true });
  }
}

function hashOf(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}

/** Options of GNU tar with which the archive does not depend on the time, the user or the order of files. */
const SAME_BYTES = [
  '--sort=name',
  '--mtime=@0',
  '--owner=0',
  '--group=0',
  '--numeric-owner',
  '--mode=u+rw,go=rX',
  '--format=ustar',
];
/** An executable has about 130 MiB. */
const ARCHIVE_BYTES = 512 * 1024 * 1024;

/** Packs a folder into a compressed archive. Two archives of the same files have the same bytes. */
export function packArchive(parent: string, folder: string, file: string): void {
  const tar = execFileSync('tar', [...SAME_BYTES, '-cf', '-', '-C', parent, folder], { maxBuffer: ARCHIVE_BYTES });
  writeFileSync(file, gzipSync(tar, { level: 6 }));
}

/**
 * Returns a list of what is in an executable, in the format CycloneDX 1.6. It has no serial number and no time, so that
 * two builds have the same bytes.
 */
function billOfMaterials(version: string, node: NodePackage, packages: readonly BundledPackage[]): string {
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
interface BundledPackage {
  readonly name: string;
  readonly version: string;
  /** The SPDX expression of the license. */
  readonly license: string;
  /** The text of the license. */
  readonly text: string;
}

/** Returns the packages of bundled files, sorted by name. Throws if a package has no text of its license. */
function bundledPackages(inputs: readonly string[]): BundledPackage[] {
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
function licensesOf(packages: readonly BundledPackage[]): string {
  return packages
    .map(({ name, version, license, text }) => `${name} ${version} (${license})\n\n${text.trim()}\n`)
    .join('\n---\n\n');
}
