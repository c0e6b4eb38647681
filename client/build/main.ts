/*
 * Builds the executables of `esk`, their man pages and their completion scripts: npm run build:esk [-- PLATFORM…]
 *
 *   dist/esk/
 *     esk-<platform>     esk; under the name age-plugin-esk, the plugin
 *     SHA256SUMS         checksums of the executables
 *     man/               man pages
 *     completion/        esk for bash, _esk for zsh, esk.fish
 *
 * Runs on Linux x64. Downloads Node for other platforms from the npm registry once.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { buildDistribution } from './distribution.ts';
import { ALL_PLATFORMS, readPlatform } from './platforms.ts';

const DIST = join(import.meta.dirname, '../../dist/esk');

const asked = process.argv.slice(2).map(readPlatform);
rmSync(DIST, { recursive: true, force: true });
await buildDistribution(DIST, asked.length > 0 ? asked : ALL_PLATFORMS);
