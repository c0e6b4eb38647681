import { KeyManagementServiceClient } from '@google-cloud/kms';
import { credentials } from '@grpc/grpc-js';
import { splitAddress } from '../base/socket-address.ts';
import { makeChannelOptions } from '../channel.ts';
import { type Config, DEADLINES_MS } from '../config.ts';

/** Bytes that the KMS may send ahead: with Node's 64 KiB to a connection, large answers would wait for each other. */
const WINDOW = 1 << 20;

/** A client of the KMS, or of its emulator where one is configured. */
export function makeKmsClient(config: Config): KeyManagementServiceClient {
  const channel = { ...makeChannelOptions(DEADLINES_MS.kms), 'grpc-node.flow_control_window': WINDOW };
  const common = { projectId: config.project, ...channel };
  if (config.kmsEmulatorHost === undefined) return new KeyManagementServiceClient(common);
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
