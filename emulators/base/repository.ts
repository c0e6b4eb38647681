import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The root directory of the repository. It is the working directory of all processes of the stack. */
export const REPOSITORY_ROOT = dirname(fileURLToPath(new URL('../../package.json', import.meta.url)));

/** Returns the file of a package or of a path in a package. Throws if the package is not installed. */
export const resolvePackage = createRequire(import.meta.url).resolve;

/**
 * The id of the Google Cloud project. Because of the prefix `demo-`, Google's emulators and tools never contact real
 * services.
 */
export const PROJECT_ID = 'demo-encryption';
