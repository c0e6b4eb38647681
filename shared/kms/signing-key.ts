import { createPublicKey } from 'node:crypto';
import type { KeyManagementServiceClient } from '@google-cloud/kms';
import { makeOnce } from '../base/make-once.ts';
import { Connection } from '../grpc/connection.ts';
import { crc32c } from './crc32c.ts';
import { ChecksumMismatch, isChecksumRefusal, retryDamaged, verified } from './integrity.ts';
import { READ_AGAIN, SERVER } from './kms.ts';

/** An Ed25519 key pair (RFC 8032) in the KMS. CRC32C protects both directions. */
export class SigningKey {
  readonly #name: string;
  readonly #server: Connection<KeyManagementServiceClient>;

  /** `name` is a CryptoKeyVersion. */
  constructor(name: string, load: () => Promise<KeyManagementServiceClient>) {
    this.#name = name;
    this.#server = new Connection(SERVER, load);
  }

  /** Returns the 64-byte signature, which is deterministic. Throws {@link ChecksumMismatch} after retries. */
  sign(data: Uint8Array): Promise<Uint8Array> {
    return retryDamaged(async () => {
      const request = { name: this.#name, data, dataCrc32c: { value: await crc32c(data) } };
      try {
        const [answer] = await this.#server.call(READ_AGAIN, (client, options) =>
          client.asymmetricSign(request, options),
        );
        if (!answer.verifiedDataCrc32c) throw new ChecksumMismatch('the KMS did not verify the checksum of a request');
        if (answer.name !== this.#name) throw new ChecksumMismatch('the KMS signed with a different key version');
        return await verified(answer.signature, answer.signatureCrc32c?.value);
      } catch (error) {
        if (isChecksumRefusal(error)) throw new ChecksumMismatch('the checksum of a KMS request does not match');
        throw error;
      }
    });
  }

  /** Returns the 32-byte public key, cached after a success. Throws an `Error` if the key is not Ed25519. */
  readonly publicKey: () => Promise<Uint8Array> = makeOnce(() => this.#readPublicKey());

  #readPublicKey(): Promise<Uint8Array> {
    return retryDamaged(async () => {
      const request = { name: this.#name };
      const [answer] = await this.#server.call(READ_AGAIN, (client, options) => client.getPublicKey(request, options));
      const pem = await verified(Buffer.from(answer.pem ?? ''), answer.pemCrc32c?.value);
      if (answer.name !== this.#name)
        throw new ChecksumMismatch('the KMS returned the public key of a different key version');
      const { crv, x = '' } = createPublicKey(pem.toString()).export({ format: 'jwk' });
      if (crv !== 'Ed25519')
        throw new Error(`AUDIT_SIGNING_KEY must be an Ed25519 key, but its algorithm is ${answer.algorithm}`);
      return Buffer.from(x, 'base64url');
    });
  }
}
