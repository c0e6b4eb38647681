import { z } from 'zod';
import { EITHER } from '../../shared/auth/admission.ts';
import { nothing } from '../../shared/http/input.ts';
import { nextRotation } from '../../shared/keys/versions.ts';
import { readRecentUse } from '../../shared/metering/recent-use.ts';
import { needs } from '../needs.ts';

const rotationAnswer = z
  .object({
    next_version: z.int().describe('The version that a rotation would create.'),
    keeps: z.array(z.int()).describe('The enabled versions that would still decrypt.'),
    retires: z.array(z.int()).describe('The enabled versions that would no longer decrypt.'),
    recent: z
      .object({
        since: z.iso.date().describe('The first of the last 30 UTC days, today included.'),
        ops: z.int().describe('The number of metered operations with the key since that day.'),
        older_version_ops: z
          .int()
          .describe('How many of them (`decrypt`, `unwrap` or `rewrap`) needed an older version than the primary.'),
        last_older_use: z.iso
          .date()
          .nullable()
          .describe('The last day on which an operation needed an older version, or `null`.'),
      })
      .describe('How the key was used.'),
  })
  .meta({ id: 'RotationPreview' });

/** Any API key may call this route, whatever its allowed actions. The route also works for a key pending deletion. */
export const previewRotationRoute = needs('store', 'clock').keyRoute({
  id: 'preview_rotation',
  method: 'GET',
  path: '/v1/keys/{id}/rotation',
  summary: 'Preview a rotation of a key',
  description:
    'Returns which versions a rotation would keep and retire, and how often older versions were needed in the last 30 UTC days. Changes nothing. For `software` and `hsm` keys, operations within hours after a rotation can be counted for the wrong version.',
  tag: 'Keys',
  admits: EITHER,
  takes: nothing,
  status: 200,
  answer: rotationAnswer,
  async handle({ store, clock }, { key }) {
    const { version, keeps, retires } = nextRotation(key);
    const { since, ops, olderVersionOps, lastOlderUse } = await readRecentUse(store, key.id, clock.now());
    return {
      next_version: version,
      keeps: [...keeps],
      retires: [...retires],
      recent: { since, ops, older_version_ops: olderVersionOps, last_older_use: lastOlderUse },
    };
  },
});
