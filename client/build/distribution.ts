import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { VERSION } from '../src/api/generated.ts';
import { completionScript, SHELLS } from '../src/cli/commands/completion.ts';
import { makeProgram } from '../src/cli/program.ts';
import { type BundledPackage, billOfMaterials, bundledPackages, licensesOf } from './bill-of-materials.ts';
import { bundle, makeExecutable } from './make-executable.ts';
import { writeManPages } from './man-page.ts';
import { findPackage, nodeLicense, PLATFORMS, type Platform } from './node-packages.ts';

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
