// Checks the Node that runs the service. On Linux, npm installs that Node; on other hosts, it is the host's own. This file
// is plain JavaScript because older versions of Node cannot run TypeScript.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 24 || (major === 24 && minor < 7)) {
  process.stderr.write(
    `Node 24.7 or newer is required; this is Node ${process.versions.node}. Install it, then try again.\n`,
  );
  process.exit(1);
}
