import { join } from 'node:path';
import { writeManPages } from './man-pages.ts';

// `npm run build -w client`: npm installs the man pages of a package with its programs.
writeManPages(join(import.meta.dirname, '../dist/man'));
