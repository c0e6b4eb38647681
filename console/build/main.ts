/*
 * node console/build/main.ts --out FOLDER --api URL: builds the console into a folder, for a service at that address.
 */
import { parseArgs } from 'node:util';
import { writeSite } from './site.ts';

const { values } = parseArgs({ options: { out: { type: 'string' }, api: { type: 'string' } } });
if (values.out === undefined || values.api === undefined) throw new Error('--out and --api are needed');
await writeSite(values.out, { api: values.api });
