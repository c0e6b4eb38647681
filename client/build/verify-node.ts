/*
 * Checks that the Node in the executables of `esk` is Node's own: npx node client/build/verify-node.ts [PLATFORM…]
 *
 * Compares the program in npm's package with the one in the archive on nodejs.org, whose checksum Node's releasers have
 * signed. Their public keys are in node-release-keys.gpg, from https://github.com/nodejs/release-keys.
 */
import { join } from 'node:path';
import { findPackage, nodeOf, PLATFORMS, readPlatform, SHIPPED } from './node-packages.ts';
import { hashOf, signedNodeHash } from './signed-node.ts';

const SOURCE = { url: 'https://nodejs.org/dist', keyring: join(import.meta.dirname, 'node-release-keys.gpg') };

const asked = process.argv.slice(2).map(readPlatform);
for (const platform of asked.length > 0 ? asked : SHIPPED) {
  const node = findPackage(PLATFORMS[platform]);
  const isSame = hashOf(nodeOf(node)) === (await signedNodeHash(SOURCE, node.version, platform));
  process.stdout.write(
    `${platform}: Node ${node.version} of the package ${node.name} is ${isSame ? '' : 'NOT '}Node's own\n`,
  );
  if (!isSame) process.exitCode = 1;
}
