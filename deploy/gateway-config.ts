import { createHash } from 'node:crypto';
import type { Deployment } from './deployment.ts';
import type { FunctionName } from './functions.ts';
import { closedGatewayDocument, gatewayDocument } from './gateway.ts';
import { functionAddress } from './names.ts';

interface GatewayConfig {
  readonly name: string;
  /** The path of the file from which gcloud reads the document. */
  readonly file: string;
  /** The document as JSON. */
  readonly text: string;
}

export function gatewayConfigs(deployment: Deployment): GatewayConfig[] {
  const { open, closed } = documents(deployment);
  return [
    { name: configName(deployment, 'false'), file: 'dist/gateway.json', text: open },
    { name: configName(deployment, 'true'), file: 'dist/gateway-closed.json', text: closed },
  ];
}

/**
 * Returns the name of a configuration. It contains a hash of both documents, open and closed. With `$CLOSED`, the
 * deployment script inserts `true` or `false` when it runs.
 */
export function configName(deployment: Deployment, closed: 'true' | 'false' | '$CLOSED'): string {
  const { open, closed: other } = documents(deployment);
  const hash = createHash('sha256').update(open).update(other).digest('hex');
  return `closed-${closed}-${hash.slice(0, 12)}`;
}

function documents(deployment: Deployment) {
  const addressOf = (name: FunctionName) => functionAddress(deployment, name);
  const write = (document: Record<string, unknown>) => `${JSON.stringify(document, null, 2)}\n`;
  return { open: write(gatewayDocument(addressOf)), closed: write(closedGatewayDocument(addressOf)) };
}
