/* Builds the console for the service at URL: node console/build/main.ts --out FOLDER --api URL */
import { parseArgs } from 'node:util';
import { writeSite } from './site.ts';

const { values } = parseArgs({ options: { out: { type: 'string' }, api: { type: 'string' } } });
if (values.out === undefined || values.api === undefined) throw new Error('--out and --api are required');
await writeSite(values.out, { api: values.api });
