/*
 * Builds the console for Firebase Hosting: node deploy/hosting.ts --api URL --issuer URL
 *
 * Writes the input of `firebase deploy --config`: the console in dist/console, and its settings in dist/firebase.json.
 * The settings have a content security policy that allows both URLs.
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { writeSite } from '../console/build/site.ts';
import { hostingConfig } from './hosting-config.ts';

const ROOT = join(import.meta.dirname, '..');
const { values } = parseArgs({ options: { api: { type: 'string' }, issuer: { type: 'string' } } });
if (values.api === undefined || values.issuer === undefined) throw new Error('--api and --issuer are required');
const folder = join(ROOT, 'dist', 'console');
rmSync(folder, { recursive: true, force: true });
await writeSite(folder, { api: values.api });
const config = hostingConfig(readFileSync(join(ROOT, 'firebase.json'), 'utf8'), values.api, values.issuer);
writeFileSync(join(ROOT, 'dist', 'firebase.json'), config);
