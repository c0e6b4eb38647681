import { rename, writeFile } from 'node:fs/promises';
import { TARGET } from './places.ts';
import { generate } from './source.ts';

// `npm run setup` and `npm run build -w client` run this script. It overwrites the generated part of the library.
// Several commands may do this at once, and each must find a whole file.
const unfinished = new URL(`${TARGET}.${process.pid}`);
await writeFile(unfinished, await generate());
await rename(unfinished, TARGET);
