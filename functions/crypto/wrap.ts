import { z } from 'zod';
import { API_KEY } from '../../shared/auth/caller.ts';
import { makeDek } from '../../shared/crypto/dek.ts';
import { binary, decodeAad, decodeField, optionalBinary } from '../../shared/crypto/fields.ts';
import { refuseAad, refuseDek, refuseHsmTotal } from '../../shared/crypto/limits.ts';
import { backendOf, seal } from '../../shared/crypto/seal.ts';
import { wiping } from '../../shared/crypto/wiping.ts';
import { jsonBody } from '../../shared/http/body.ts';
import { meteredRoute } from '../../shared/http/pipeline.ts';
import { refusePending } from '../../shared/keys/guards.ts';
import { readPaidMeter, recordOperation, refuseCapped, refuseUnpaid } from '../../shared/metering/meter.ts';

export const wrapRoute = meteredRoute({
  id: 'wrap',
  method: 'POST',
  path: '/v1/keys/{id}/wrap',
  summary: 'Wrap a data key: the one given, or a new one of 32 random bytes',
  admits: API_KEY,
  action: 'wrap',
  operation: 'wrap',
  takes: jsonBody(z.object({ dek: optionalBinary, aad: optionalBinary })),
  refuses: [
    'invalid_base64',
    'invalid_dek_length',
    'payload_too_large',
    'key_pending_deletion',
    'billing_required',
    'ops_cap_reached',
  ],
  meter: readPaidMeter,
  status: 200,
  answer: z.object({ wrapped: binary, dek: binary.optional() }).meta({ id: 'Wrapped' }),
  async handle({ env, request, caller, key, input, meter }) {
    const given = input.dek == null ? undefined : decodeField('dek', input.dek);
    const dek = given ?? makeDek();
    using _ = wiping(dek);
    const aad = decodeAad(input.aad);
    refuseDek(dek);
    refuseAad(aad, backendOf(key));
    refuseHsmTotal(key.tier, 'dek', dek, aad);
    refusePending(key, env.clock);
    await refuseUnpaid(meter);
    await refuseCapped(meter, key);
    const wrapped = (await seal(env, key, dek, aad)).toString('base64');
    await recordOperation(env, { requestId: request.id, caller }, 'wrap', key, meter);
    return given === undefined ? { wrapped, dek: dek.toString('base64') } : { wrapped };
  },
});
