import { generateKeyPairSync } from 'node:crypto';
import { expect, test } from 'vitest';
import { type Checkpoint, formatCheckpoint, openCheckpoint } from '../../../shared/transparency/checkpoint.ts';
import { signNote } from '../../../shared/transparency/note.ts';
import { formatRestoration, restorationKey, type TreeHead } from '../../../shared/transparency/restoration.ts';
import type { Seal } from '../../../shared/transparency/seal.ts';
import { CompactRange, encodeHash } from '../../../shared/transparency/tree.ts';
import type { VerifierKey } from '../../../shared/transparency/verifier-key.ts';
import { LogVerifier } from '../../../shared/transparency/verify-log.ts';
import { RestorationVerifier } from '../../../shared/transparency/verify-restorations.ts';
import { anEvent, makeLog, makeSigner, type Sealed, type Signer } from './a-log.ts';

const verify = (log: readonly Sealed[], key: VerifierKey, kept?: Checkpoint, restorations?: RestorationVerifier) => {
  const verifier = new LogVerifier(key, kept, restorations);
  const findings = log.flatMap(({ seal, entries, rows }) => verifier.check(seal, entries, rows));
  return { findings: [...findings, ...verifier.finish()], verified: verifier.verified };
};

/** Returns the findings in the form `code seal`, such as `entry_missing 1`. */
const codes = (log: readonly Sealed[], key: VerifierKey, kept?: Checkpoint) =>
  verify(log, key, kept).findings.map(({ code, seal }) => `${code} ${seal}`);

const at = (log: readonly Sealed[], index: number): Sealed => {
  const sealed = log[index];
  if (sealed === undefined) throw new Error(`no seal ${index}`);
  return sealed;
};

/** Returns the log with one of its seals changed. */
const withSeal = (log: readonly Sealed[], index: number, change: Partial<Seal>) =>
  log.with(index, { ...at(log, index), seal: { ...at(log, index).seal, ...change } });

/** Returns a copy of the log in which one seal's entries, and the audit rows of these entries, are changed. */
const withEntries = (
  log: readonly Sealed[],
  index: number,
  change: (entries: Sealed['entries']) => Sealed['entries'],
) => {
  const entries = change(at(log, index).entries);
  return log.with(index, { ...at(log, index), entries, rows: entries.filter((entry) => entry !== undefined) });
};

const checkpointOf = ({ seal }: Sealed, key: VerifierKey): Checkpoint => {
  const opened = openCheckpoint(seal.checkpoint, key);
  if ('refused' in opened) throw new Error(opened.refused);
  return opened.checkpoint;
};

test('an unaltered log passes verification, which returns the newest checkpoint to keep', async () => {
  const { log, signer } = await makeLog([3, 1, 7, 8]);
  expect(verify(log, signer.key)).toEqual({ findings: [], verified: at(log, 3).seal.checkpoint });
});

test('an unaltered log passes verification against any kept checkpoint', async () => {
  const { log, signer } = await makeLog([3, 1, 7, 8]);
  for (const sealed of log) expect(codes(log, signer.key, checkpointOf(sealed, signer.key))).toEqual([]);
});

test('an empty log passes verification, which returns no checkpoint to keep', async () => {
  expect(verify([], makeSigner('a').key)).toEqual({ findings: [], verified: undefined });
});

test('an altered entry is reported with its seal, and verification returns the previous seal’s checkpoint to keep', async () => {
  const { log, signer } = await makeLog([3, 4, 5]);
  const tampered = withEntries(log, 1, (entries) => entries.with(2, anEvent(1, 2, { operation: 'decrypt' })));
  const { findings, verified } = verify(tampered, signer.key);
  expect(findings).toEqual([
    {
      code: 'entries_altered',
      seal: 1,
      message:
        'seal 1 (2026-11-20T12:10:00.000000Z to 2026-11-20T12:20:00.000000Z): its entries were altered, added, ' +
        'removed or reordered after sealing; later seals cannot be recomputed',
    },
  ]);
  expect(verified).toBe(at(log, 0).seal.checkpoint);
});

test('deleted entries are reported with their seal', async () => {
  const { log, signer } = await makeLog([3, 4, 5]);
  const gone = withEntries(log, 1, (entries) => entries.with(2, undefined));
  expect(codes(gone, signer.key)).toEqual(['entry_missing 1']);
  const cut = withEntries(log, 2, (entries) => entries.slice(0, -2));
  expect(codes(cut, signer.key)).toEqual(['entry_missing 2']);
});

test('a forged entry is reported, whether it follows the last entry of a seal or replaces an entry', async () => {
  const { log, signer } = await makeLog([3, 4]);
  const after = withEntries(log, 1, (entries) => [...entries, anEvent(1, 9)]);
  expect(codes(after, signer.key)).toEqual(['entry_misplaced 1', 'entries_altered 1']);
  const inside = withEntries(log, 1, (entries) => entries.with(1, anEvent(1, 1, { id: 'another' })));
  expect(codes(inside, signer.key)).toEqual(['entries_altered 1']);
});

test('missing seals are reported with the seal after them', async () => {
  const { log, signer } = await makeLog([1, 1, 1, 1]);
  expect(codes(log.toSpliced(1, 1), signer.key)).toEqual(['seal_missing 2']);
  expect(codes(log.slice(1), signer.key)).toEqual(['seal_missing 1']);
});

test('a copy of a seal in place of another seal is reported, even with the other seal’s index', async () => {
  const { log, signer } = await makeLog([2, 2, 2]);
  expect(codes(log.with(2, at(log, 1)), signer.key)).toEqual(['seal_repeated 1']);
  const renumbered = withSeal(log.with(2, at(log, 1)), 2, { index: 2 });
  expect(codes(renumbered, signer.key)).toContain('seal_broken 2');
});

test('a seal with a wrong root is reported, and later seals are verified against the signed root', async () => {
  const { log, signer } = await makeLog([2, 2, 2]);
  const { root } = at(log, 0).seal;
  expect(codes(withSeal(log, 1, { root }), signer.key)).toEqual(['seal_altered 1']);
  expect(verify(withSeal(log, 1, { root }), signer.key).verified).toBe(at(log, 2).seal.checkpoint);
  expect(verify(withSeal(log, 2, { root }), signer.key).verified).toBe(at(log, 1).seal.checkpoint);
});

test('a seal with the checkpoint of another seal is reported', async () => {
  const { log, signer } = await makeLog([2, 2, 2]);
  const tampered = withSeal(log, 1, { checkpoint: at(log, 0).seal.checkpoint });
  expect(verify(tampered, signer.key).findings[0]?.message).toContain('differs from the signed checkpoint');
  expect(codes(tampered, signer.key)).toEqual(['seal_altered 1']);
  expect(verify(tampered, signer.key).verified).toBe(at(log, 2).seal.checkpoint);
});

test('a seal is reported if its signed checkpoint has the same root as the seal but another size', async () => {
  const { log, signer } = await makeLog([2, 2]);
  const { root } = at(log, 1).seal;
  const text = formatCheckpoint({ origin: signer.key.name, size: 5, root });
  const checkpoint = await signNote(text, signer.key, signer.sign);
  expect(codes(withSeal(log, 1, { checkpoint }), signer.key)).toEqual(['seal_altered 1']);
});

test('a seal with an altered or malformed checkpoint is reported', async () => {
  const { log, signer } = await makeLog([2, 2]);
  const { checkpoint, root } = at(log, 1).seal;
  const resigned = checkpoint.replace(root, at(log, 0).seal.root);
  for (const [wrong, words] of [
    [resigned, 'invalid signature'],
    ['', 'malformed'],
  ] as const) {
    const [finding] = verify(withSeal(log, 1, { checkpoint: wrong }), signer.key).findings;
    expect(finding).toMatchObject({ code: 'signature_wrong', seal: 1, message: expect.stringContaining(words) });
  }
});

test('a seal that another key has signed is reported, even in an otherwise correct log', async () => {
  const { log } = await makeLog([2, 2]);
  expect(codes(log, makeSigner('example.com/log').key)).toEqual(['signature_wrong 0', 'signature_wrong 1']);
});

test('a seal of another tenant’s log is reported, even if the same key signs both logs', async () => {
  const { privateKey } = generateKeyPairSync('ed25519');
  const { log } = await makeLog([2, 2], makeSigner('example.com/theirs', privateKey));
  expect(codes(log, makeSigner('example.com/mine', privateKey).key)).toEqual([
    'signature_wrong 0',
    'signature_wrong 1',
  ]);
});

test('an event that lies in a sealed period but is not in the seal is reported', async () => {
  const { log, signer } = await makeLog([2, 2]);
  const late = anEvent(0, 9);
  const tampered = log.with(0, { ...at(log, 0), rows: [late, ...at(log, 0).rows] });
  const { findings, verified } = verify(tampered, signer.key);
  expect(findings).toMatchObject([{ code: 'row_added', seal: 0, message: expect.stringContaining(String(late.id)) }]);
  expect(verified).toBe(at(log, 1).seal.checkpoint);
});

test('a log whose end was cut off is reported, even if no entry is left', async () => {
  const { log, signer } = await makeLog([2, 2, 2]);
  const kept = checkpointOf(at(log, 2), signer.key);
  expect(verify(log.slice(0, 2), signer.key, kept).findings).toEqual([
    {
      code: 'log_cut',
      seal: null,
      message: 'the log has 4 entries, but had 6 at the last verification: its end was removed',
    },
  ]);
  expect(codes([], signer.key, kept)).toEqual(['log_cut null']);
});

test('a log that was rewritten and signed again is reported, because it does not match the kept checkpoint', async () => {
  const { log, signer } = await makeLog([2, 2, 2]);
  const kept = checkpointOf(at(log, 1), signer.key);
  const { log: rewritten } = await makeLog([1, 3, 2], signer);
  expect(codes(rewritten, signer.key)).toEqual([]);
  const { findings, verified } = verify(rewritten, signer.key, kept);
  expect(findings).toMatchObject([
    { code: 'log_rewritten', seal: 1, message: expect.stringContaining('the first 4 entries differ') },
  ]);
  expect(verified).toBe(at(rewritten, 0).seal.checkpoint);
});

test('a log that was rewritten with different seals is reported, even if no seal ends at the kept checkpoint’s size', async () => {
  const { log, signer } = await makeLog([2, 2, 2]);
  const { log: rewritten } = await makeLog([1, 4, 1], signer);
  expect(codes(rewritten, signer.key, checkpointOf(at(log, 1), signer.key))).toEqual(['log_rewritten 1']);
});

/** A log with four seals of two entries each. */
const before = await makeLog([2, 2, 2, 2]);
const { signer } = before;
/** The same log after a restore that kept only the first four entries, and after two new seals. */
const after = await makeLog([2, 2, 1, 5], signer);
const left = after.log.slice(0, 2);
const NOTHING = { size: 0, root: encodeHash(CompactRange.empty().root()) };

/** Returns the log’s size and root after the given number of seals. */
const headOf = ({ log }: { readonly log: readonly Sealed[] }, seals: number): TreeHead => {
  const { size, root } = log[seals - 1]?.seal ?? NOTHING;
  return { size, root };
};
const keptOf = ({ log }: { readonly log: readonly Sealed[] }, seals: number) =>
  checkpointOf(at(log, seals - 1), signer.key);
const state = (lost: TreeHead, from: TreeHead, by: Signer = signer) =>
  signNote(formatRestoration({ log: by.key.name, lost, from, number: 1 }), restorationKey(by.key), by.sign);

const RESTORED = await state(headOf(before, 4), headOf(before, 2));

/** Returns the findings in a log for which the service shows the statements `shown`. */
const find = (log: readonly Sealed[], kept: Checkpoint | undefined, shown: string[], acknowledged: string[] = []) =>
  verify(log, signer.key, kept, new RestorationVerifier(signer.key, shown, acknowledged)).findings;
const found = (...args: Parameters<typeof find>) => find(...args).map(({ code }) => code);

test('a restored log with a signed restoration statement is reported with its lost entries, and not as cut or rewritten', () => {
  for (const seals of [3, 4]) {
    for (const log of [left, after.log])
      expect(found(log, keptOf(before, seals), [RESTORED])).toEqual(['log_restored']);
  }
  expect(find(left, keptOf(before, 4), [RESTORED])).toEqual([
    {
      code: 'log_restored',
      seal: null,
      message:
        'the log was restored from a backup: entries 4 to 7 are lost; it had 8 entries, of which the first 4 are left',
    },
  ]);
});

test('a restored log is reported even if the kept checkpoint covers no lost entries, or if no checkpoint was kept', () => {
  expect(found(after.log, keptOf(before, 2), [RESTORED])).toEqual(['log_restored']);
  expect(found(after.log, undefined, [RESTORED])).toEqual(['log_restored']);
});

test('a restored log without any remaining entry is reported as restored', async () => {
  expect(found([], keptOf(before, 1), [await state(headOf(before, 4), NOTHING)])).toEqual(['log_restored']);
});

test('once the restore is acknowledged, the restored log passes verification, even if entries were added since', () => {
  expect(found(left, keptOf(before, 2), [RESTORED], [RESTORED])).toEqual([]);
  expect(found(after.log, keptOf(after, 3), [RESTORED], [RESTORED])).toEqual([]);
});

test('a log is reported as cut or rewritten if no restoration statement explains the lost entries', () => {
  expect(found(left, keptOf(before, 4), [])).toEqual(['log_cut']);
  expect(found(after.log, keptOf(before, 4), [])).toEqual(['log_rewritten']);
});

test('a log is reported as cut if its end is removed again after an acknowledged restore', () => {
  expect(found(left, keptOf(after, 3), [RESTORED], [RESTORED])).toEqual(['log_cut']);
  expect(found(left, keptOf(after, 4), [RESTORED], [RESTORED])).toEqual(['log_cut']);
});

test('a log is reported as cut if its restoration statement covers fewer entries than the kept checkpoint, or is about another log of the same size', async () => {
  const less = await state(headOf(before, 3), headOf(before, 2));
  expect(found(left, keptOf(before, 4), [less])).toContain('log_cut');
  const another = await state({ size: 8, root: headOf(before, 3).root }, headOf(before, 2));
  expect(found(left, keptOf(before, 4), [another])).toContain('log_cut');
});

test('a log is reported as cut if it has fewer entries than the restore left, according to the signed statement', () => {
  const cut = found(before.log.slice(0, 1), keptOf(before, 4), [RESTORED]);
  expect(cut).toEqual(['log_cut', 'log_cut', 'log_restored']);
  expect(found(before.log.slice(0, 1), undefined, [RESTORED])).toContain('log_cut');
});

test('a log is reported as rewritten if its remaining entries do not match its restoration statement', async () => {
  const { log } = await makeLog([1, 3, 2], signer);
  expect(found(log, keptOf(before, 3), [RESTORED])).toEqual(['log_rewritten', 'log_rewritten', 'log_restored']);
  expect(found(log, undefined, [RESTORED])).toEqual(['log_rewritten', 'log_restored']);
  const other = await state(headOf(before, 4), { size: 4, root: headOf(before, 1).root });
  expect(found(left, keptOf(before, 4), [other])).toEqual(['log_cut', 'log_rewritten', 'log_restored']);
});

test('a log is reported as rewritten if an entry before the kept checkpoint was altered', async () => {
  const { log } = await makeLog([1, 4, 1], signer);
  expect(found(log, keptOf(before, 1), [RESTORED])).toContain('log_rewritten');
});

test('a restoration statement that the log’s key has not signed is reported, and does not explain lost entries', async () => {
  const forged = await state(headOf(before, 4), headOf(before, 2), makeSigner(signer.key.name));
  expect(found(left, keptOf(before, 4), [forged])).toEqual(['log_cut', 'signature_wrong']);
  expect(found(left, keptOf(before, 4), [RESTORED.replace('\n8 ', '\n9 ')])).toEqual(['log_cut', 'signature_wrong']);
  expect(found(left, keptOf(before, 4), [before.log[1]?.seal.checkpoint ?? ''])).toEqual([
    'log_cut',
    'signature_wrong',
  ]);
});

test('a restore that the user has not acknowledged is reported, even if an earlier restore was acknowledged', async () => {
  const second = await state(headOf(after, 4), headOf(after, 3));
  const log = after.log.slice(0, 3);
  expect(found(log, keptOf(after, 4), [RESTORED, second], [RESTORED])).toEqual(['log_restored']);
});

test('a second restore can restore an earlier state than the first restore did', async () => {
  const second = await state(headOf(after, 4), headOf(before, 1));
  const log = before.log.slice(0, 1);
  expect(found(log, keptOf(after, 4), [RESTORED, second], [RESTORED])).toEqual(['log_restored']);
  expect(found(log, keptOf(before, 1), [RESTORED, second], [RESTORED, second])).toEqual([]);
});

test('an acknowledged restoration statement that the service no longer shows is reported, unless a later restore removed it', async () => {
  expect(found(left, keptOf(before, 2), [], [RESTORED])).toEqual(['restoration_missing']);
  const second = await state(headOf(after, 4), headOf(before, 1));
  expect(found(before.log.slice(0, 1), keptOf(after, 4), [second], [RESTORED])).toEqual(['log_restored']);
  const shorter = await state(headOf(after, 4), headOf(after, 3));
  expect(found(after.log.slice(0, 3), keptOf(after, 4), [shorter], [RESTORED])).toEqual([
    'restoration_missing',
    'log_restored',
  ]);
});
