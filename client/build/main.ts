/*
 * Builds the executables of `esk`, and what is installed with them: npm run build:esk [-- PLATFORM…]
 *
 *   dist/esk/
 *     esk-<platform>     esk; called by the name age-plugin-esk, it is the plugin
 *     SHA256SUMS         of the executables
 *     man/               the man pages
 *     completion/        esk for bash, _esk for zsh, esk.fish
 *
 * Runs on Linux x64. Fetches the Node of other platforms from the npm registry, once.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { buildDistribution } from './distribution.ts';
import { ALL_PLATFORMS, readPlatform } from './platforms.ts';

const DIST = join(import.meta.dirname, '../../dist/esk');

const asked = process.argv.slice(2).map(readPlatform);
rmSync(DIST, { recursive: true, force: true });
await buildDistribution(DIST, asked.length > 0 ? asked : ALL_PLATFORMS);
