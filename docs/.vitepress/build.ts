import { join } from 'node:path';
import { build } from 'vitepress';

/** Builds the site into a folder. `base` is the path at which a web server will have it, such as `/docs/`. */
export async function buildSite(outDir: string, base = '/'): Promise<void> {
  await build(join(import.meta.dirname, '..'), { outDir, base });
}
