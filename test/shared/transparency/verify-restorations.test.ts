import { describe, expect, test } from 'vitest';
import { type Checkpoint, openCheckpoint } from '../../../shared/transparency/checkpoint.ts';
import { signNote } from '../../../shared/transparency/note.ts';
import { formatRestoration, restorationKey, type TreeHead } from '../../../shared/transparency/restoration.ts';
import { CompactRange, encodeHash } from '../../../shared/transparency/tree.ts';
import { LogVerifier } from '../../../shared/transparency/verify-log.ts';
import { RestorationVerifier } from '../../../shared/transparency/verify-restorations.ts';
import { makeLog, makeSigner, type Sealed, type Signer } from './a-log.ts';

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
const keptOf = ({ log }: { readonly log: readonly Sealed[] }, seals: number): Checkpoint => {
  const opened = openCheckpoint(log[seals - 1]?.seal.checkpoint ?? '', signer.key);
  if ('refused' in opened) throw new Error(opened.refused);
  return opened.checkpoint;
};
const state = (lost: TreeHead, from: TreeHead, by: Signer = signer) =>
  signNote(formatRestoration({ log: by.key.name, lost, from, number: 1 }), restorationKey(by.key), by.sign);

const RESTORED = await state(headOf(before, 4), headOf(before, 2));

/** Returns the findings in a log for which the service shows the statements `shown`. */
const find = (log: readonly Sealed[], kept: Checkpoint | undefined, shown: string[], acknowledged: string[] = []) => {
  const restorations = new RestorationVerifier(signer.key, shown, acknowledged);
  const verifier = new LogVerifier(signer.key, kept, restorations);
  const findings = log.flatMap(({ seal, entries, rows }) => verifier.check(seal, entries, rows));
  return [...findings, ...verifier.finish()];
};
const codes = (...args: Parameters<typeof find>) => find(...args).map(({ code }) => code);

describe('a restored log with a restoration statement', () => {
  test('a restored log with a signed restoration statement is reported with its lost entries, and not as cut or rewritten', () => {
    for (const seals of [3, 4]) {
      for (const log of [left, after.log])
        expect(codes(log, keptOf(before, seals), [RESTORED])).toEqual(['log_restored']);
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
    expect(codes(after.log, keptOf(before, 2), [RESTORED])).toEqual(['log_restored']);
    expect(codes(after.log, undefined, [RESTORED])).toEqual(['log_restored']);
  });

  test('a restored log without any remaining entry is reported as restored', async () => {
    expect(codes([], keptOf(before, 1), [await state(headOf(before, 4), NOTHING)])).toEqual(['log_restored']);
  });

  test('once the restore is acknowledged, the restored log passes verification, even if entries were added since', () => {
    expect(codes(left, keptOf(before, 2), [RESTORED], [RESTORED])).toEqual([]);
    expect(codes(after.log, keptOf(after, 3), [RESTORED], [RESTORED])).toEqual([]);
  });
});

describe('a log that was cut or rewritten', () => {
  test('a log is reported as cut or rewritten if no restoration statement explains the lost entries', () => {
    expect(codes(left, keptOf(before, 4), [])).toEqual(['log_cut']);
    expect(codes(after.log, keptOf(before, 4), [])).toEqual(['log_rewritten']);
  });

  test('a log is reported as cut if its end is removed again after an acknowledged restore', () => {
    expect(codes(left, keptOf(after, 3), [RESTORED], [RESTORED])).toEqual(['log_cut']);
    expect(codes(left, keptOf(after, 4), [RESTORED], [RESTORED])).toEqual(['log_cut']);
  });

  test('a log is reported as cut if its restoration statement covers fewer entries than the kept checkpoint, or is about another log of the same size', async () => {
    const less = await state(headOf(before, 3), headOf(before, 2));
    expect(codes(left, keptOf(before, 4), [less])).toContain('log_cut');
    const another = await state({ size: 8, root: headOf(before, 3).root }, headOf(before, 2));
    expect(codes(left, keptOf(before, 4), [another])).toContain('log_cut');
  });

  test('a log is reported as cut if it has fewer entries than the restore left, according to the signed statement', () => {
    const found = codes(before.log.slice(0, 1), keptOf(before, 4), [RESTORED]);
    expect(found).toEqual(['log_cut', 'log_cut', 'log_restored']);
    expect(codes(before.log.slice(0, 1), undefined, [RESTORED])).toContain('log_cut');
  });

  test('a log is reported as rewritten if its remaining entries do not match its restoration statement', async () => {
    const { log } = await makeLog([1, 3, 2], signer);
    expect(codes(log, keptOf(before, 3), [RESTORED])).toEqual(['log_rewritten', 'log_rewritten', 'log_restored']);
    expect(codes(log, undefined, [RESTORED])).toEqual(['log_rewritten', 'log_restored']);
    const other = await state(headOf(before, 4), { size: 4, root: headOf(before, 1).root });
    expect(codes(left, keptOf(before, 4), [other])).toEqual(['log_cut', 'log_rewritten', 'log_restored']);
  });

  test('a log is reported as rewritten if an entry before the kept checkpoint was altered', async () => {
    const { log } = await makeLog([1, 4, 1], signer);
    expect(codes(log, keptOf(before, 1), [RESTORED])).toContain('log_rewritten');
  });
});

describe('a restoration statement', () => {
  test('a restoration statement that the log’s key has not signed is reported, and does not explain lost entries', async () => {
    const forged = await state(headOf(before, 4), headOf(before, 2), makeSigner(signer.key.name));
    expect(codes(left, keptOf(before, 4), [forged])).toEqual(['log_cut', 'signature_wrong']);
    expect(codes(left, keptOf(before, 4), [RESTORED.replace('\n8 ', '\n9 ')])).toEqual(['log_cut', 'signature_wrong']);
    expect(codes(left, keptOf(before, 4), [before.log[1]?.seal.checkpoint ?? ''])).toEqual([
      'log_cut',
      'signature_wrong',
    ]);
  });

  test('a restore that the user has not acknowledged is reported, even if an earlier restore was acknowledged', async () => {
    const second = await state(headOf(after, 4), headOf(after, 3));
    const log = after.log.slice(0, 3);
    expect(codes(log, keptOf(after, 4), [RESTORED, second], [RESTORED])).toEqual(['log_restored']);
  });

  test('a second restore can restore an earlier state than the first restore did', async () => {
    const second = await state(headOf(after, 4), headOf(before, 1));
    const log = before.log.slice(0, 1);
    expect(codes(log, keptOf(after, 4), [RESTORED, second], [RESTORED])).toEqual(['log_restored']);
    expect(codes(log, keptOf(before, 1), [RESTORED, second], [RESTORED, second])).toEqual([]);
  });

  test('an acknowledged restoration statement that the service no longer shows is reported, unless a later restore removed it', async () => {
    expect(codes(left, keptOf(before, 2), [], [RESTORED])).toEqual(['restoration_missing']);
    const second = await state(headOf(after, 4), headOf(before, 1));
    expect(codes(before.log.slice(0, 1), keptOf(after, 4), [second], [RESTORED])).toEqual(['log_restored']);
    const shorter = await state(headOf(after, 4), headOf(after, 3));
    expect(codes(after.log.slice(0, 3), keptOf(after, 4), [shorter], [RESTORED])).toEqual([
      'restoration_missing',
      'log_restored',
    ]);
  });
});
