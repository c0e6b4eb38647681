import { z } from 'zod';
import { API_KEY } from '../../shared/auth/caller.ts';
import { binary, decodeAad, decodeField, optionalBinary } from '../../shared/crypto/fields.ts';
import { isDek, refuseAad } from '../../shared/crypto/limits.ts';
import { backendOf, invalidCiphertext, open } from '../../shared/crypto/seal.ts';
import { wiping } from '../../shared/crypto/wiping.ts';
import { jsonBody } from '../../shared/http/body.ts';
import { meteredRoute } from '../../shared/http/pipeline.ts';
import { refusePending } from '../../shared/keys/guards.ts';
import { readMeter, recordOperation, refuseCapped } from '../../shared/metering/meter.ts';

export const unwrapRoute = meteredRoute({
  id: 'unwrap',
  method: 'POST',
  path: '/v1/keys/{id}/unwrap',
  summary: 'Unwrap a data key',
  admits: API_KEY,
  action: 'unwrap',
  operation: 'unwrap',
  takes: jsonBody(z.object({ wrapped: binary, aad: optionalBinary })),
  refuses: ['invalid_base64', 'payload_too_large', 'key_pending_deletion', 'ops_cap_reached', 'invalid_ciphertext'],
  meter: readMeter,
  status: 200,
  answer: z.object({ dek: binary }).meta({ id: 'Dek' }),
  async handle({ env, request, caller, key, input, meter }) {
    const wrapped = decodeField('wrapped', input.wrapped);
    const aad = decodeAad(input.aad);
    refuseAad(aad, backendOf(key));
    refusePending(key, env.clock);
    await refuseCapped(meter, key);
    const dek = await open(env, key, wrapped, aad);
    using _ = wiping(dek);
    if (!isDek(dek)) throw invalidCiphertext();
    await recordOperation(env, { requestId: request.id, caller }, 'unwrap', key, meter);
    return { dek: dek.toString('base64') };
  },
});
