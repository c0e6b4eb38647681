import { join } from 'node:path';
import { writeManPages } from './man-pages.ts';

// `npm run build -w client` runs this script. When npm installs a package, it also installs the package's man pages.
writeManPages(join(import.meta.dirname, '../dist/man'));
