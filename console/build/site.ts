import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { build } from 'esbuild';

const CONSOLE = join(import.meta.dirname, '..');

export interface SiteSettings {
  /** The base URL of the service. */
  readonly api: string;
  /** The path of the documentation, if the site has it. */
  readonly docs?: string;
}

/**
 * Writes the console into a folder: `index.html`, `config.json` and the assets. The names of the assets contain a hash
 * of their content, so browsers may cache them forever.
 */
export async function writeSite(folder: string, { api, docs }: SiteSettings): Promise<void> {
  const { outputFiles } = await build({
    absWorkingDir: CONSOLE,
    entryPoints: { console: 'src/main.tsx' },
    outdir: 'out',
    chunkNames: '[name]-[hash]',
    splitting: true,
    bundle: true,
    write: false,
    minify: true,
    format: 'esm',
    target: ['chrome123', 'firefox121', 'safari17.5'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    legalComments: 'none',
    logLevel: 'error',
  });
  const script = outputFiles.find(({ path }) => basename(path) === 'console.js');
  if (script === undefined) throw new Error('esbuild wrote no script');
  const { outputFiles: styles } = await build({
    absWorkingDir: CONSOLE,
    entryPoints: ['style.css'],
    outdir: 'out',
    write: false,
    minify: true,
    logLevel: 'error',
  });
  const [style] = styles;
  if (style === undefined) throw new Error('esbuild wrote no style');
  const icon = await readFile(join(CONSOLE, 'icon.svg'));
  await mkdir(join(folder, 'assets'), { recursive: true });
  for (const { path, contents } of outputFiles.filter((file) => file !== script))
    await writeFile(join(folder, 'assets', basename(path)), contents);
  const names = {
    SCRIPT: await writeAsset(folder, 'console', 'js', script.contents),
    STYLE: await writeAsset(folder, 'console', 'css', style.contents),
    ICON: await writeAsset(folder, 'icon', 'svg', icon),
  };
  const page = await readFile(join(CONSOLE, 'index.html'), 'utf8');
  await writeFile(
    join(folder, 'index.html'),
    page.replaceAll(/\{(SCRIPT|STYLE|ICON)\}/g, (_, name) => Object(names)[name]),
  );
  await writeFile(join(folder, 'config.json'), `${JSON.stringify({ api_url: api, docs_url: docs })}\n`);
}

/** Writes a file under a name that contains the hash of its content. Returns its path from the site's root. */
async function writeAsset(folder: string, name: string, extension: string, content: Uint8Array): Promise<string> {
  const hash = createHash('sha256').update(content).digest('base64url').slice(0, 12);
  const path = `/assets/${name}-${hash}.${extension}`;
  await writeFile(join(folder, path), content);
  return path;
}
