import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { findPackage, HOST, nodeOf, PLATFORMS, type Platform } from './node-packages.ts';

const POSTJECT = join(import.meta.dirname, '../../node_modules/.bin/postject');

/** Node's marker for executables with an embedded program (Node.js, "Single executable applications"). */
const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';

/** Without this option, V8 hashes names with a random number, and each code cache has other bytes. */
const SAME_BYTES = ['--random-seed=1'];

/** Bundles both programs into one CommonJS module, the format that Node runs from an executable. */
export async function bundlePrograms(): Promise<string> {
  return (await bundle()).text;
}

/** Bundles both programs. `inputs` are the bundled files, relative to the root of the repository. */
export async function bundle(): Promise<{ readonly text: string; readonly inputs: readonly string[] }> {
  const { outputFiles, metafile } = await build({
    absWorkingDir: join(import.meta.dirname, '../..'),
    metafile: true,
    entryPoints: [join(import.meta.dirname, 'executable.ts')],
    bundle: true,
    minify: true,
    format: 'cjs',
    platform: 'node',
    target: 'node24',
    legalComments: 'none',
    write: false,
  });
  return { text: outputFiles.map(({ text }) => text).join(''), inputs: Object.keys(metafile.inputs) };
}

/** Writes a platform's executable to `file`: a copy of the platform's Node with the bundle inside. */
export function makeExecutable(platform: Platform, program: string, file: string): void {
  const target = findPackage(PLATFORMS[platform]);
  // The format of the blob depends on the version of Node. So the host needs a Node of the target's version to write
  // it.
  const maker = findPackage(HOST, target.version);
  const folder = mkdtempSync(join(tmpdir(), 'esk-build-'));
  try {
    // The blob contains the path of the program. So the paths are relative, and do not name the temporary folder.
    const [main, output, config] = ['esk.cjs', 'esk.blob', 'sea.json'];
    // A code cache works only with the Node binary that created it, so executables for other platforms contain no code
    // cache.
    const useCodeCache = PLATFORMS[platform] === HOST;
    writeFileSync(join(folder, main), program);
    writeFileSync(
      join(folder, config),
      JSON.stringify({ main, output, useCodeCache, disableExperimentalSEAWarning: true }),
    );
    execFileSync(nodeOf(maker), [...SAME_BYTES, '--experimental-sea-config', config], { cwd: folder, stdio: 'pipe' });
    copyFileSync(nodeOf(target), file);
    chmodSync(file, 0o755);
    const segment = platform.startsWith('darwin') ? ['--macho-segment-name', 'NODE_SEA'] : [];
    execFileSync(POSTJECT, [file, 'NODE_SEA_BLOB', join(folder, output), '--sentinel-fuse', FUSE, ...segment], {
      stdio: 'pipe',
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}
