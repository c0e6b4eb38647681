/*
 * Writes the files that are generated from the sources and are not in git, if a source is newer: npm run setup. Tests do
 * this too.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, globSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
const CLIENT = 'client/src/api/generated.ts';

/** The generated files except the client's, each with the function that renders it. */
const GENERATED: Readonly<Record<string, () => Promise<unknown>>> = {
  'console/src/pages/reference/reference.json': describe,
  'deploy/gateway.json': async () => (await import('./gateway.ts')).gatewayDocument(variable),
  'deploy/gateway-closed.json': async () => (await import('./gateway.ts')).closedGatewayDocument(variable),
};

const SOURCES = [
  ...['client/package.json', 'client/src/service.ts', 'docs/openapi.json', 'deploy/*.ts'],
  ...['client/generate', 'deploy/reference', 'functions', 'shared'].map((folder) => `${folder}/**/*.ts`),
];

const modified = (file: string) => statSync(join(ROOT, file)).mtimeMs;
const files = [CLIENT, ...Object.keys(GENERATED)];
const isComplete = files.every((file) => existsSync(join(ROOT, file)));
const isCurrent = () => {
  const sources = globSync(SOURCES, { cwd: ROOT, exclude: ['**/*.test.ts'] });
  return Math.min(...files.map(modified)) > Math.max(...sources.map(modified));
};
if (!isComplete || !isCurrent()) {
  execFileSync(process.execPath, [join(ROOT, 'client/generate/main.ts')], { stdio: 'inherit' });
  for (const [file, render] of Object.entries(GENERATED)) {
    // Several commands may do this at once, and each must find whole files.
    const unfinished = join(ROOT, `${file}.${process.pid}`);
    writeFileSync(unfinished, JSON.stringify(await render(), null, 2));
    renameSync(unfinished, join(ROOT, file));
  }
}

/** Returns the API reference as the console shows it. It has no Python. */
async function describe(): Promise<unknown> {
  const { readDocument } = await import('./reference/document.ts');
  const { referenceOf } = await import('./reference/reference.ts');
  const text = JSON.stringify(referenceOf(readDocument()), (name, value) => (name === 'python' ? undefined : value));
  return JSON.parse(text);
}

/** Returns a variable in place of a function's address. The stack replaces it. */
function variable(name: string): string {
  return `\${${name}}`;
}
