import { writeFile } from 'node:fs/promises';
import { TARGET } from './places.ts';
import { generate } from './source.ts';

// `npm run build -w client` runs this script. It overwrites the generated part of the library.
await writeFile(TARGET, await generate());
