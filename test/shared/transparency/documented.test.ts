import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { formatCheckpoint } from '../../../shared/transparency/checkpoint.ts';
import { encodeEntry } from '../../../shared/transparency/entry.ts';
import { signNote } from '../../../shared/transparency/note.ts';
import { formatRestoration, restorationKey } from '../../../shared/transparency/restoration.ts';
import { encodeHash, hashLeaf, rootOf } from '../../../shared/transparency/tree.ts';
import { formatVerifierKey } from '../../../shared/transparency/verifier-key.ts';
import { makeSigner, privateKeyOf } from './notes.ts';

const page = readFileSync(new URL('../../../docs/audit-format.md', import.meta.url), 'utf8');

/** The secret key of RFC 8032 §7.1, TEST 1, in hexadecimal. */
const SEED = '9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60';
const NAME = 'encryption-service.local/6f1c0f6e-7a0b-4c9b-9a53-0f4a6b1d2e30';

const created = {
  id: '1b4e28ba-2fa1-41d2-883f-0016d3cca427',
  ts: '2026-11-20T12:00:01.000001Z',
  operation: 'create_key',
  result: 'success',
  error_code: null,
  request_id: 'first',
  key_id: '7c9e6679-7425-40de-944b-e07fc1f90ae7',
  api_key_id: null,
  user_id: '9f3a1c52-3d0e-4b8e-8a52-6f0a3c1d7e11',
  target_id: null,
};
const changed = {
  ...created,
  id: '2c5ea4c0-4067-41e9-8bad-9b1deb4d3b7d',
  ts: '2026-11-20T12:00:02.000000Z',
  operation: 'update_firewall',
  request_id: 'second',
  key_id: null,
  target_id: '550e8400-e29b-41d4-a716-446655440000',
  workload: null,
  changes: [{ field: 'allowed_ips', before: ['192.0.2.0/24'], after: ['192.0.2.0/24', '198.51.100.7/32'] }],
};

test('the code produces exactly the example in docs/audit-format.md', async () => {
  const { key, sign } = makeSigner(NAME, privateKeyOf(Buffer.from(SEED, 'hex')));
  const entries = [created, changed].map(encodeEntry);
  const leaves = entries.map(hashLeaf);
  const root = encodeHash(rootOf(leaves));
  const checkpoint = await signNote(formatCheckpoint({ origin: NAME, size: 2, root }), key, sign);
  for (const entry of entries) expect(page).toContain(`\n${Buffer.from(entry)}\n`);
  for (const leaf of leaves) expect(page).toContain(`\n${encodeHash(leaf)}\n`);
  expect(page).toContain(`\n${formatVerifierKey(key)}\n`);
  expect(page).toContain(`\n${checkpoint}`);
  const from = { size: 1, root: encodeHash(rootOf(leaves.slice(0, 1))) };
  const statement = formatRestoration({ log: NAME, lost: { size: 2, root }, from, number: 1 });
  expect(page).toContain(`\n${await signNote(statement, restorationKey(key), sign)}`);
});
