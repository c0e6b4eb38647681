import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The repository's root directory, where every part of the stack is run. */
export const repositoryRoot = dirname(fileURLToPath(new URL('../../package.json', import.meta.url)));

/** Finds the file that a package's entry point (or a path inside it) resolves to. Throws when it is not installed. */
export const resolvePackage = createRequire(import.meta.url).resolve;
