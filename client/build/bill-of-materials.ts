import type { BundledPackage } from './bundled-packages.ts';
import type { NodePackage } from './node-packages.ts';

/**
 * Returns a list of what is in an executable, in the format CycloneDX 1.6. It has no serial number and no time, so that
 * two builds have the same bytes.
 */
export function billOfMaterials(version: string, node: NodePackage, packages: readonly BundledPackage[]): string {
  const application = { type: 'application', name: 'esk', version, licenses: [{ license: { id: 'Apache-2.0' } }] };
  const runtime = {
    type: 'platform',
    name: 'node',
    version: node.version,
    purl: `pkg:npm/${node.name}@${node.version}`,
    hashes: [
      { alg: 'SHA-512', content: Buffer.from(node.integrity.slice('sha512-'.length), 'base64').toString('hex') },
    ],
  };
  const libraries = packages.map((one) => ({
    type: 'library',
    name: one.name,
    version: one.version,
    licenses: [{ expression: one.license }],
    purl: `pkg:npm/${one.name.replace('@', '%40')}@${one.version}`,
  }));
  const document = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: application },
    components: [runtime, ...libraries],
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}
