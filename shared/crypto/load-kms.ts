import type { KeyManagementServiceClient } from '@google-cloud/kms';
import { splitAddress } from '../base/socket-address.ts';
import { makeChannelOptions } from '../channel.ts';
import { type Config, DEADLINES_MS } from '../config.ts';

/** Bytes that the KMS may send ahead: with Node's 64 KiB to a connection, large answers would wait for each other. */
const WINDOW = 1 << 20;

/** Loads the client of the KMS, which takes its time, and makes one. */
export async function loadKms(config: Config): Promise<KeyManagementServiceClient> {
  const { KeyManagementServiceClient } = await import('@google-cloud/kms');
  const channel = { ...makeChannelOptions(DEADLINES_MS.kms), 'grpc-node.flow_control_window': WINDOW };
  const common = { projectId: config.project, ...channel };
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
