import type { KeyManagementServiceClient } from '@google-cloud/kms';
import { RECONNECT } from '../base/reconnect.ts';
import { splitAddress } from '../base/socket-address.ts';
import type { Config } from '../config.ts';

/** Bytes that the KMS may send ahead: with Node's 64 KiB to a connection, large answers would wait for each other. */
const WINDOW = 1 << 20;

/** Loads the client of the KMS, which takes its time, and makes one. */
export async function loadKms(config: Config): Promise<KeyManagementServiceClient> {
  const { KeyManagementServiceClient } = await import('@google-cloud/kms');
  const common = { projectId: config.project, ...RECONNECT, 'grpc-node.flow_control_window': WINDOW };
  if (config.kmsEmulatorHost === undefined) return new KeyManagementServiceClient(common);
  const { credentials } = await import('@grpc/grpc-js');
  const [apiEndpoint, port] = splitAddress(config.kmsEmulatorHost);
  return new KeyManagementServiceClient({
    ...common,
    apiEndpoint,
    port,
    sslCreds: credentials.createInsecure(),
    // Told, the client does not ask a metadata server that is not there.
    universeDomain: 'googleapis.com',
  });
}
