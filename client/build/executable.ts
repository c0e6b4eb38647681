import { basename } from 'node:path';
import { main as agePlugin } from '../src/cli/age-plugin-esk.ts';
import { main as esk } from '../src/cli/esk.ts';

// This file contains both programs. The name of the executable selects one of them, so a link is enough for the plugin.
const main = basename(process.argv0).startsWith('age-plugin-esk') ? agePlugin : esk;
void main(process.argv.slice(2));
