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
import { VERSION } from '../src/api/generated.ts';
import { completionScript, SHELLS } from '../src/cli/completion/shells.ts';
import { makeProgram } from '../src/cli/program.ts';
import { packArchive } from './archive.ts';
import { billOfMaterials } from './bill-of-materials.ts';
import { type BundledPackage, bundledPackages, licensesOf } from './bundled-packages.ts';
import { bundle, makeExecutable } from './make-executable.ts';
import { writeManPages } from './man-pages.ts';
import { findPackage, nodeLicense } from './node-packages.ts';
import { PLATFORMS, type Platform } from './platforms.ts';

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
