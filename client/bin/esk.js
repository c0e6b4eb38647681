#!/usr/bin/env node
import { existsSync } from 'node:fs';

// In a checkout the source runs as it is; a package has what was compiled of it.
const source = new URL('../src/cli/esk.ts', import.meta.url);
const runsSource = process.features.typescript && existsSync(source);
const { main } = await import(runsSource ? source.href : '../dist/client/src/cli/esk.js');
await main(process.argv.slice(2));
