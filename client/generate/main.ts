import { readFile, writeFile } from 'node:fs/promises';
import { DOCUMENT, TARGET } from './places.ts';
import { generate } from './source.ts';

// `npm run generate -w client`: writes what the library knows of the routes anew.
await writeFile(TARGET, await generate(JSON.parse(await readFile(DOCUMENT, 'utf8'))));
