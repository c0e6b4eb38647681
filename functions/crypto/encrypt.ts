import { z } from 'zod';
import { API_KEY } from '../../shared/auth/caller.ts';
import { binary, decodeAad, decodeField, optionalBinary } from '../../shared/crypto/fields.ts';
import { refuseAad, refuseHsmTotal, refusePlaintext } from '../../shared/crypto/limits.ts';
import { backendOf, seal } from '../../shared/crypto/seal.ts';
import { wiping } from '../../shared/crypto/wiping.ts';
import { jsonBody } from '../../shared/http/body.ts';
import { meteredRoute } from '../../shared/http/pipeline.ts';
import { refusePending } from '../../shared/keys/guards.ts';
import { readPaidMeter, recordOperation, refuseCapped, refuseUnpaid } from '../../shared/metering/meter.ts';
import { ciphertextAnswer } from './answers.ts';

export const encryptRoute = meteredRoute({
  id: 'encrypt',
  method: 'POST',
  path: '/v1/keys/{id}/encrypt',
  summary: 'Encrypt up to 64 KiB',
  admits: API_KEY,
  action: 'encrypt',
  operation: 'encrypt',
  takes: jsonBody(z.object({ plaintext: binary, aad: optionalBinary })),
  refuses: ['invalid_base64', 'payload_too_large', 'key_pending_deletion', 'billing_required', 'ops_cap_reached'],
  meter: readPaidMeter,
  status: 200,
  answer: ciphertextAnswer,
  async handle({ env, request, caller, key, input, meter }) {
    const plaintext = decodeField('plaintext', input.plaintext);
    using _ = wiping(plaintext);
    const aad = decodeAad(input.aad);
    refusePlaintext(plaintext);
    refuseAad(aad, backendOf(key));
    refuseHsmTotal(key.tier, 'plaintext', plaintext, aad);
    refusePending(key, env.clock);
    await refuseUnpaid(meter);
    await refuseCapped(meter, key);
    const ciphertext = await seal(env, key, plaintext, aad);
    await recordOperation(env, { requestId: request.id, caller }, 'encrypt', key, meter);
    return { ciphertext: ciphertext.toString('base64') };
  },
});
