/*
 * Builds the console for Firebase Hosting: node deploy/hosting.ts --api URL --issuer URL [--docs]
 *
 * Writes the input of `firebase deploy --config`: the console in dist/console, and its settings in dist/firebase.json.
 * The settings have a content security policy that allows both URLs. With --docs, the site also has the documentation.
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { writeSite } from '../console/build/site.ts';
import { buildSite } from '../docs/.vitepress/build.ts';
import { docsHeaders } from './docs-headers.ts';
import { hostingConfig, withServer } from './hosting-config.ts';

const ROOT = join(import.meta.dirname, '..');
const { values } = parseArgs({
  options: { api: { type: 'string' }, issuer: { type: 'string' }, docs: { type: 'boolean', default: false } },
});
if (values.api === undefined || values.issuer === undefined) throw new Error('--api and --issuer are required');
const folder = join(ROOT, 'dist', 'console');
rmSync(folder, { recursive: true, force: true });
await writeSite(folder, { api: values.api, ...(values.docs && { docs: '/docs/' }) });
const firebase = readFileSync(join(ROOT, 'firebase.json'), 'utf8');
const config = hostingConfig(firebase, values.api, values.issuer, values.docs ? await writeDocs(values.api) : []);
writeFileSync(join(ROOT, 'dist', 'firebase.json'), config);

/** Builds the documentation into the console's site. Returns its headers. */
async function writeDocs(api: string) {
  await buildSite(join(folder, 'docs'), '/docs/');
  const document = join(folder, 'docs/openapi.json');
  writeFileSync(document, withServer(readFileSync(document, 'utf8'), api));
  return docsHeaders(readFileSync(join(folder, 'docs/index.html'), 'utf8'));
}
