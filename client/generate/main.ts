import { readFile, writeFile } from 'node:fs/promises';
import { DOCUMENT, TARGET } from './places.ts';
import { generate } from './source.ts';

// `npm run generate -w client` runs this script. It overwrites the generated part of the library.
await writeFile(TARGET, await generate(JSON.parse(await readFile(DOCUMENT, 'utf8'))));
