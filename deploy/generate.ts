/*
 * Writes the files that are generated from the sources and are not in git, if a source is newer: npm run setup. Tests do
 * this too.
 */
import { existsSync, globSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');

/** The generated files, each with the function that renders it. */
const GENERATED: Readonly<Record<string, () => Promise<string>>> = {
  'client/src/api/generated.ts': renderClient,
  'console/src/pages/reference/reference.json': renderReference,
  'deploy/gateway.json': async () => renderGateway('gatewayDocument'),
  'deploy/gateway-closed.json': async () => renderGateway('closedGatewayDocument'),
};

const SOURCES = [
  ...['client/package.json', 'client/src/service.ts', 'docs/openapi.json', 'deploy/*.ts'],
  ...['client/generate', 'deploy/reference', 'functions', 'shared'].map((folder) => `${folder}/**/*.ts`),
];

const modified = (file: string) => statSync(join(ROOT, file)).mtimeMs;
const files = Object.keys(GENERATED).filter((file) => existsSync(join(ROOT, file)));
const isComplete = files.length === Object.keys(GENERATED).length;
const newest = Math.max(...globSync(SOURCES, { cwd: ROOT }).map(modified));
if (!isComplete || Math.min(...files.map(modified)) <= newest) {
  for (const [file, render] of Object.entries(GENERATED)) {
    const text = await render();
    // Several commands may do this at once, and each must find whole files.
    const unfinished = join(ROOT, `${file}.${process.pid}`);
    writeFileSync(unfinished, text);
    renameSync(unfinished, join(ROOT, file));
  }
}

async function renderClient(): Promise<string> {
  const { generate } = await import('../client/generate/source.ts');
  return generate();
}

/** Returns the API reference as the console shows it. It has no Python. */
async function renderReference(): Promise<string> {
  const { readDocument } = await import('./reference/document.ts');
  const { referenceOf } = await import('./reference/reference.ts');
  return JSON.stringify(referenceOf(readDocument()), (name, value) => (name === 'python' ? undefined : value), 2);
}

async function renderGateway(which: 'gatewayDocument' | 'closedGatewayDocument'): Promise<string> {
  const gateway = await import('./gateway.ts');
  return JSON.stringify(
    gateway[which]((name: string) => `\${${name}}`),
    null,
    2,
  );
}
