import { z } from 'zod';
import { API_KEY } from '../../shared/auth/caller.ts';
import { binary, decodeAad, decodeField, optionalBinary } from '../../shared/crypto/fields.ts';
import { refuseAad } from '../../shared/crypto/limits.ts';
import { backendOf, open, seal } from '../../shared/crypto/seal.ts';
import { wiping } from '../../shared/crypto/wiping.ts';
import { jsonBody } from '../../shared/http/body.ts';
import { meteredRoute } from '../../shared/http/pipeline.ts';
import { refusePending } from '../../shared/keys/guards.ts';
import { readPaidMeter, recordOperation, refuseCapped, refuseUnpaid } from '../../shared/metering/meter.ts';
import { ciphertextAnswer } from './answers.ts';

export const rewrapRoute = meteredRoute({
  id: 'rewrap',
  method: 'POST',
  path: '/v1/keys/{id}/rewrap',
  summary: 'Re-encrypt under the current primary version; the plaintext stays inside',
  admits: API_KEY,
  action: 'rewrap',
  operation: 'rewrap',
  takes: jsonBody(z.object({ ciphertext: binary, aad: optionalBinary })),
  refuses: [
    'invalid_base64',
    'payload_too_large',
    'key_pending_deletion',
    'billing_required',
    'ops_cap_reached',
    'invalid_ciphertext',
  ],
  meter: readPaidMeter,
  status: 200,
  answer: ciphertextAnswer,
  async handle({ env, request, caller, key, input, meter }) {
    const ciphertext = decodeField('ciphertext', input.ciphertext);
    const aad = decodeAad(input.aad);
    refuseAad(aad, backendOf(key));
    refusePending(key, env.clock);
    await refuseUnpaid(meter);
    await refuseCapped(meter, key);
    const plaintext = await open(env, key, ciphertext, aad);
    using _ = wiping(plaintext);
    const rewrapped = await seal(env, key, plaintext, aad);
    await recordOperation(env, { requestId: request.id, caller }, 'rewrap', key, meter);
    return { ciphertext: rewrapped.toString('base64') };
  },
});
