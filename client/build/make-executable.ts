import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { findPackage, HOST, nodeOf } from './node-packages.ts';
import { PLATFORMS, type Platform } from './platforms.ts';

const POSTJECT = join(import.meta.dirname, '../../node_modules/.bin/postject');

/** By this name Node finds out that something was put into it (Node.js, "Single executable applications"). */
const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';

/** Bundles the code of both programs to one CommonJS module, which is what Node runs from an executable. */
export async function bundlePrograms(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, 'executable.ts')],
    bundle: true,
    minify: true,
    format: 'cjs',
    platform: 'node',
    target: 'node24',
    legalComments: 'none',
    write: false,
  });
  return outputFiles.map(({ text }) => text).join('');
}

/** Writes a platform's executable to `file`: its Node, with the bundle in it. */
export function makeExecutable(platform: Platform, bundle: string, file: string): void {
  const target = findPackage(PLATFORMS[platform]);
  // The format of a blob changes with Node: the one that makes it is of the version that it is put into.
  const maker = findPackage(HOST, target.version);
  const folder = mkdtempSync(join(tmpdir(), 'esk-build-'));
  try {
    const [main, output, config] = [join(folder, 'esk.cjs'), join(folder, 'esk.blob'), join(folder, 'sea.json')];
    // Compiled code is only of use to the very same Node.
    const useCodeCache = PLATFORMS[platform] === HOST;
    writeFileSync(main, bundle);
    writeFileSync(config, JSON.stringify({ main, output, useCodeCache, disableExperimentalSEAWarning: true }));
    execFileSync(nodeOf(maker), ['--experimental-sea-config', config], { stdio: 'pipe' });
    copyFileSync(nodeOf(target), file);
    chmodSync(file, 0o755);
    const segment = platform.startsWith('darwin') ? ['--macho-segment-name', 'NODE_SEA'] : [];
    execFileSync(POSTJECT, [file, 'NODE_SEA_BLOB', output, '--sentinel-fuse', FUSE, ...segment], { stdio: 'pipe' });
  } finally {
    rmSync(folder, { recursive: true });
  }
}
