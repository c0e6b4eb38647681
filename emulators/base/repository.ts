import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The root directory of the repository. All processes of the stack run in it. */
export const REPOSITORY_ROOT = dirname(fileURLToPath(new URL('../../package.json', import.meta.url)));

/** Resolves a package, or a path in a package, to a file. Throws if the package is not installed. */
export const resolvePackage = createRequire(import.meta.url).resolve;
