/*
 * Prints the hash of a function's built code: node deploy/source-hash.ts dist/NAME
 */
import { resolve } from 'node:path';
import { hashFolder } from './decision-point.ts';

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('the folder of the built function is required');
process.stdout.write(`${hashFolder(resolve(folder))}\n`);
