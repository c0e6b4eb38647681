/*
 * Builds the executables of `esk`, their man pages and their completion scripts: npm run build:esk [-- PLATFORM…]
 *
 *   dist/esk/
 *     esk-<platform>           esk; under the name age-plugin-esk, the plugin
 *     esk-<platform>.tar.gz    the same with licenses, man pages and completion scripts
 *     esk-<platform>.cdx.json  what is in the executable, in the format CycloneDX
 *     SHA256SUMS               checksums of these files
 *     man/                     man pages
 *     completion/              esk for bash, _esk for zsh, esk.fish
 *
 * By default, builds only the platforms that are tested. Runs on Linux x64. Downloads Node for other platforms from the npm registry once.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { buildDistribution } from './distribution.ts';
import { readPlatform, SHIPPED } from './node-packages.ts';

const DIST = join(import.meta.dirname, '../../dist/esk');

const asked = process.argv.slice(2).map(readPlatform);
rmSync(DIST, { recursive: true, force: true });
await buildDistribution(DIST, asked.length > 0 ? asked : SHIPPED);
