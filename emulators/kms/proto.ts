import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { ServiceDefinition } from '@grpc/grpc-js';
import { fromJSON } from '@grpc/proto-loader';
import { z } from 'zod';

const SERVICE = 'google.cloud.kms.v1.KeyManagementService';

const namespace = z.custom<Parameters<typeof fromJSON>[0]>(
  (value) => typeof value === 'object' && value !== null && 'nested' in value,
);
const service = z.custom<ServiceDefinition>((value) => typeof value === 'object' && value !== null);

export const loadServiceDefinition = async (): Promise<ServiceDefinition> => {
  const file = createRequire(import.meta.url).resolve('@google-cloud/kms/build/protos/protos.json');
  const protos = namespace.parse(JSON.parse(await readFile(file, 'utf8')));
  return service.parse(fromJSON(protos, { enums: String, longs: Number, defaults: true })[SERVICE]);
};
