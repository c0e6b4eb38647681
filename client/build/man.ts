import { join } from 'node:path';
import { writeManPages } from './man-page.ts';

// `npm run build -w client` runs this script, so the npm package contains the man pages. npm installs them with the
// package.
writeManPages(join(import.meta.dirname, '../dist/man'));
