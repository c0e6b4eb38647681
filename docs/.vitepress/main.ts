/* Serves the pages of the documentation, or builds them with --build: npm run docs */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createServer } from 'vitepress';
import { buildSite } from './build.ts';

const { values } = parseArgs({
  options: {
    build: { type: 'boolean' },
    to: { type: 'string', default: join(import.meta.dirname, '../../dist/docs') },
    base: { type: 'string', default: '/' },
  },
});

if (values.build) await buildSite(values.to, values.base);
else {
  const server = await createServer(join(import.meta.dirname, '..'), { host: '127.0.0.1', port: 5174 });
  await server.listen();
  server.printUrls();
}
