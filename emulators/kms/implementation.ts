import { type handleUnaryCall, status, type UntypedServiceImplementation } from '@grpc/grpc-js';
import {
  createCryptoKeyVersion,
  destroyCryptoKeyVersion,
  getCryptoKeyVersion,
  listCryptoKeyVersions,
  restoreCryptoKeyVersion,
  updateCryptoKeyVersion,
} from './crypto-key-versions.ts';
import {
  createCryptoKey,
  createKeyRing,
  getCryptoKey,
  getKeyRing,
  listCryptoKeys,
  updateCryptoKeyPrimaryVersion,
} from './crypto-keys.ts';
import { asymmetricSign, decrypt, encrypt, getPublicKey } from './encryption.ts';
import { KmsError } from './requests.ts';
import type { Kms } from './resources.ts';

type Handler<Request, Response> = (kms: Kms, request: Request) => Response;

const statusOf = (error: unknown) => {
  if (error instanceof KmsError) return error;
  process.stderr.write(`KMS emulator: ${error instanceof Error ? error.stack : error}\n`);
  return new KmsError(status.INTERNAL, 'Internal error encountered.');
};

/**
 * Returns the RPCs that the emulator implements. All other RPCs answer UNIMPLEMENTED. The write quota counts RPCs that
 * change something.
 */
export const implement = (kms: Kms, save: () => void, countWrite: () => void): UntypedServiceImplementation => {
  const direct =
    <Request, Response>(handle: Handler<Request, Response>): handleUnaryCall<Request, Response> =>
    (call, callback) => {
      try {
        callback(null, handle(kms, call.request));
      } catch (error) {
        callback(statusOf(error));
      }
    };
  // Save before the answer, also before an error: otherwise, a crash could undo a change that a client has already seen.
  const durable = <Request, Response>(handle: Handler<Request, Response>) =>
    direct((on: Kms, request: Request) => {
      try {
        return handle(on, request);
      } finally {
        save();
      }
    });
  const change = <Request, Response>(handle: Handler<Request, Response>) =>
    durable((on: Kms, request: Request) => {
      countWrite();
      return handle(on, request);
    });
  return {
    CreateKeyRing: change(createKeyRing),
    GetKeyRing: durable(getKeyRing),
    CreateCryptoKey: change(createCryptoKey),
    GetCryptoKey: durable(getCryptoKey),
    ListCryptoKeys: durable(listCryptoKeys),
    CreateCryptoKeyVersion: change(createCryptoKeyVersion),
    GetCryptoKeyVersion: durable(getCryptoKeyVersion),
    ListCryptoKeyVersions: durable(listCryptoKeyVersions),
    UpdateCryptoKeyPrimaryVersion: change(updateCryptoKeyPrimaryVersion),
    UpdateCryptoKeyVersion: change(updateCryptoKeyVersion),
    DestroyCryptoKeyVersion: change(destroyCryptoKeyVersion),
    RestoreCryptoKeyVersion: change(restoreCryptoKeyVersion),
    GetPublicKey: durable(getPublicKey),
    AsymmetricSign: durable(asymmetricSign),
    Encrypt: direct(encrypt),
    Decrypt: direct(decrypt),
  };
};
