import { basename } from 'node:path';
import { main as agePlugin } from '../src/cli/age-plugin-esk.ts';
import { main as esk } from '../src/cli/esk.ts';

// Both programs are in one executable. Its file name decides which of them runs, so the plugin is only a link to `esk`.
const main = basename(process.argv0).startsWith('age-plugin-esk') ? agePlugin : esk;
void main(process.argv.slice(2));
