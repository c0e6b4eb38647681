/* Serves the pages of the documentation, or builds them with --build: npm run docs */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { build, createServer } from 'vitepress';

const FOLDER = join(import.meta.dirname, '..');
const { values } = parseArgs({ options: { build: { type: 'boolean' } } });

if (values.build) await build(FOLDER);
else {
  const server = await createServer(FOLDER, { host: '127.0.0.1', port: 5174 });
  await server.listen();
  server.printUrls();
}
