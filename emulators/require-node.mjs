// Checks the Node that runs the service. On Linux, npm installs that Node; on other hosts, it is the host's own. This file
// is plain JavaScript because older versions of Node cannot run TypeScript.
import { existsSync, mkdirSync, symlinkSync } from 'node:fs';

const own = `node-${process.platform}-${process.arch}/bin/node`;
const link = 'node_modules/.bin/node';
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (existsSync(`node_modules/${own}`)) {
  // npm 9 leaves this link out, because the package for the other processor, which it skips, has the same program.
  mkdirSync('node_modules/.bin', { recursive: true });
  if (!existsSync(link)) symlinkSync(`../${own}`, link);
} else if (major < 24 || (major === 24 && minor < 7)) {
  process.stderr.write(
    `Node 24.7 or newer is required; this is Node ${process.versions.node}. Install it, then try again.\n`,
  );
  process.exit(1);
}
