import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The repository's root directory, in which every process of the stack runs. */
export const REPOSITORY_ROOT = dirname(fileURLToPath(new URL('../../package.json', import.meta.url)));

/** The file that a package's entry point, or a path in it, resolves to. Throws when it is not installed. */
export const resolvePackage = createRequire(import.meta.url).resolve;
