#!/usr/bin/env node
import { existsSync } from 'node:fs';

// A checkout contains the source, and a package only the compiled code.
const source = new URL('../src/cli/esk.ts', import.meta.url);
const runsSource = process.features.typescript && existsSync(source);
const { main } = await import(runsSource ? source.href : '../dist/client/src/cli/esk.js');
await main(process.argv.slice(2));
