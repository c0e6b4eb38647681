import { readFile, writeFile } from 'node:fs/promises';
import { DOCUMENT, TARGET } from './places.ts';
import { generate } from './source.ts';

// `npm run generate -w client` writes the generated part of the library again.
await writeFile(TARGET, await generate(JSON.parse(await readFile(DOCUMENT, 'utf8'))));
