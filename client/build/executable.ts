import { basename } from 'node:path';
import { main as agePlugin } from '../src/cli/age-plugin-esk.ts';
import { main as esk } from '../src/cli/esk.ts';

// One file is both programs: the name that it is called by says which, so a link is enough for the second one.
const main = basename(process.argv0).startsWith('age-plugin-esk') ? agePlugin : esk;
void main(process.argv.slice(2));
