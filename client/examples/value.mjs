/*
 * Encrypts a value of a record, and decrypts it: node value.mjs VALUE
 *
 * Environment: ESK_URL, ESK_API_KEY (with the actions `encrypt` and `decrypt`), KEY_ID
 */
import { EncryptionService, EncryptionServiceError } from 'encryption-service-client';

const { ESK_URL, ESK_API_KEY, KEY_ID } = process.env;
const service = new EncryptionService({ url: ESK_URL, apiKey: ESK_API_KEY });

/** The context to which the value is bound. Decryption needs it, so nobody can move the value to another record. */
const aad = new TextEncoder().encode('customer 42, iban');

try {
  const plaintext = new TextEncoder().encode(process.argv[2]);
  const { ciphertext } = await service.encrypt(KEY_ID, { plaintext, aad });
  console.log(`stored: ${Buffer.from(ciphertext).toString('base64')}`);
  const opened = await service.decrypt(KEY_ID, { ciphertext, aad });
  console.log(`decrypted: ${new TextDecoder().decode(opened.plaintext)}`);
} catch (error) {
  if (!(error instanceof EncryptionServiceError)) throw error;
  console.error(explain(error));
  process.exitCode = 1;
}

function explain({ code, message, requestId, resetsAt }) {
  switch (code) {
    case 'unauthorized':
      return 'the API key is wrong or was revoked';
    case 'ops_cap_reached':
      return `the monthly cap is reached until ${resetsAt.toISOString()}`;
    case 'invalid_ciphertext':
      return 'the ciphertext was altered, or encrypted with another key or context';
    default:
      return `${code}: ${message} (${requestId})`;
  }
}
