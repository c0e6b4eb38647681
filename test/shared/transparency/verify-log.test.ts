import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { type Checkpoint, formatCheckpoint, openCheckpoint } from '../../../shared/transparency/checkpoint.ts';
import { signNote } from '../../../shared/transparency/note.ts';
import type { Seal } from '../../../shared/transparency/seal.ts';
import type { VerifierKey } from '../../../shared/transparency/verifier-key.ts';
import { LogVerifier } from '../../../shared/transparency/verify-log.ts';
import { anEvent, makeLog, makeSigner, type Sealed } from './a-log.ts';

const verify = (log: readonly Sealed[], key: VerifierKey, kept?: Checkpoint) => {
  const verifier = new LogVerifier(key, kept);
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

describe('an unaltered log', () => {
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
});

describe('a changed entry', () => {
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

  test('a deleted entry is reported with its number', async () => {
    const { log, signer } = await makeLog([3, 4, 5]);
    const { findings } = verify(
      withEntries(log, 1, (entries) => entries.with(2, undefined)),
      signer.key,
    );
    expect(findings).toMatchObject([{ code: 'entry_missing', seal: 1, message: expect.stringContaining('entry 5') }]);
    const cut = withEntries(log, 2, (entries) => entries.slice(0, -2));
    expect(verify(cut, signer.key).findings).toMatchObject([
      { code: 'entry_missing', seal: 2, message: expect.stringContaining('entries 10, 11') },
    ]);
  });

  test('a forged entry is reported, whether it follows the last entry of a seal or replaces an entry', async () => {
    const { log, signer } = await makeLog([3, 4]);
    const after = withEntries(log, 1, (entries) => [...entries, anEvent(1, 9)]);
    expect(codes(after, signer.key)).toEqual(['entry_misplaced 1', 'entries_altered 1']);
    const inside = withEntries(log, 1, (entries) => entries.with(1, anEvent(1, 1, { id: 'another' })));
    expect(codes(inside, signer.key)).toEqual(['entries_altered 1']);
  });
});

describe('a changed seal', () => {
  test('missing seals are reported with their indexes', async () => {
    const { log, signer } = await makeLog([1, 1, 1, 1]);
    const one = verify(log.toSpliced(1, 1), signer.key).findings;
    expect(one).toMatchObject([
      { code: 'seal_missing', seal: 2, message: expect.stringContaining('seal 1 is missing') },
    ]);
    const [several] = verify(log.toSpliced(1, 2), signer.key).findings;
    expect(several?.message).toContain('seals 1 to 2 are missing');
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
});

describe('an audit log that differs from its seals', () => {
  test('an event that lies in a sealed period but is not in the seal is reported', async () => {
    const { log, signer } = await makeLog([2, 2]);
    const late = anEvent(0, 9);
    const tampered = log.with(0, { ...at(log, 0), rows: [late, ...at(log, 0).rows] });
    const { findings, verified } = verify(tampered, signer.key);
    expect(findings).toMatchObject([{ code: 'row_added', seal: 0, message: expect.stringContaining(String(late.id)) }]);
    expect(verified).toBe(at(log, 1).seal.checkpoint);
  });
});

describe('a log compared with a kept checkpoint', () => {
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
});
