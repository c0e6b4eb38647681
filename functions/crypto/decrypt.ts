import { z } from 'zod';
import { API_KEY } from '../../shared/auth/caller.ts';
import { binary, decodeAad, decodeField, optionalBinary } from '../../shared/crypto/fields.ts';
import { refuseAad } from '../../shared/crypto/limits.ts';
import { backendOf, open } from '../../shared/crypto/seal.ts';
import { wiping } from '../../shared/crypto/wiping.ts';
import { jsonBody } from '../../shared/http/body.ts';
import { meteredRoute } from '../../shared/http/pipeline.ts';
import { refusePending } from '../../shared/keys/guards.ts';
import { readMeter, recordOperation, refuseCapped } from '../../shared/metering/meter.ts';

export const decryptRoute = meteredRoute({
  id: 'decrypt',
  method: 'POST',
  path: '/v1/keys/{id}/decrypt',
  summary: 'Decrypt what encrypt or wrap made, under any version still enabled',
  admits: API_KEY,
  action: 'decrypt',
  operation: 'decrypt',
  takes: jsonBody(z.object({ ciphertext: binary, aad: optionalBinary })),
  refuses: ['invalid_base64', 'payload_too_large', 'key_pending_deletion', 'ops_cap_reached', 'invalid_ciphertext'],
  meter: readMeter,
  status: 200,
  answer: z.object({ plaintext: binary }).meta({ id: 'Plaintext' }),
  async handle({ env, request, caller, key, input, meter }) {
    const ciphertext = decodeField('ciphertext', input.ciphertext);
    const aad = decodeAad(input.aad);
    refuseAad(aad, backendOf(key));
    refusePending(key, env.clock);
    await refuseCapped(meter, key);
    const plaintext = await open(env, key, ciphertext, aad);
    using _ = wiping(plaintext);
    await recordOperation(env, { requestId: request.id, caller }, 'decrypt', key, meter);
    return { plaintext: plaintext.toString('base64') };
  },
});
