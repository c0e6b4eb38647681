import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  CompactRange,
  decodeHash,
  encodeHash,
  type Hash,
  hashLeaf,
  hashNode,
  rootOf,
} from '../../../shared/transparency/tree.ts';
import { ENTRIES, NODES, ROOTS } from './tree-vectors.ts';

const hex = (hash: Hash) => Buffer.from(hash).toString('hex');
const base64 = (digits: string) => Buffer.from(digits, 'hex').toString('base64');
const sha256 = (...parts: Uint8Array[]) => createHash('sha256').update(Buffer.concat(parts)).digest();
const entries = fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 70 });

/** The Merkle tree hash (MTH), computed recursively as in RFC 9162 §2.1.1. */
const treeHash = (list: readonly Uint8Array[]): Buffer => {
  const [first] = list;
  if (first === undefined) return sha256();
  if (list.length === 1) return sha256(Buffer.of(0), first);
  const split = 2 ** Math.floor(Math.log2(list.length - 1));
  return sha256(Buffer.of(1), treeHash(list.slice(0, split)), treeHash(list.slice(split)));
};

const rangeOf = (list: readonly Uint8Array[]) => {
  const range = CompactRange.empty();
  for (const entry of list) range.append(hashLeaf(entry));
  return range;
};

describe('the vectors of Certificate Transparency', () => {
  test('a leaf is hashed with the prefix 0x00, and a node with the prefix 0x01', () => {
    expect(ENTRIES.map((entry) => hex(hashLeaf(entry)))).toEqual(NODES[0]);
    const [left, right] = ENTRIES.map(hashLeaf);
    expect(hex(hashNode(left ?? Buffer.of(), right ?? Buffer.of()))).toBe(NODES[1][0]);
    expect(encodeHash(hashLeaf(Buffer.from('hello world')))).toBe('TszzRgjTG6xce+z2AG31kAXYKBgQVtCSCE40HmuwBb0=');
  });

  test.each(ROOTS.map((root, size) => [size, root]))('the root of %i leaves is %s', (size, root) => {
    const list = ENTRIES.slice(0, Number(size));
    expect(hex(rangeOf(list).root())).toBe(root);
    expect(hex(rootOf(list.map(hashLeaf)))).toBe(root);
  });

  test.each([
    [0, []],
    [1, [NODES[0][0]]],
    [2, [NODES[1][0]]],
    [3, [NODES[1][0], NODES[0][2]]],
    [4, [NODES[2][0]]],
    [5, [NODES[2][0], NODES[0][4]]],
    [6, [NODES[2][0], NODES[1][2]]],
    [7, [NODES[2][0], NODES[1][2], NODES[0][6]]],
    [8, [NODES[3][0]]],
  ])(
    'the compact range of %i leaves consists of the roots of its perfect subtrees, from left to right',
    (size, nodes) => {
      expect(rangeOf(ENTRIES.slice(0, size)).hashes).toEqual(nodes.map(base64));
    },
  );
});

describe('a compact range', () => {
  test('a compact range has the root that RFC 9162 defines, for any entries', () => {
    fc.assert(
      fc.property(entries, (list) => {
        const range = rangeOf(list);
        expect(range.size).toBe(list.length);
        expect(hex(range.root())).toBe(hex(treeHash(list)));
      }),
    );
  });

  test('a compact range that was stored and loaded grows as if it had stayed in memory', () => {
    fc.assert(
      fc.property(entries, fc.nat(70), (list, cut) => {
        const kept = rangeOf(list.slice(0, cut));
        const range = CompactRange.from(kept.size, kept.hashes);
        for (const entry of list.slice(cut)) range?.append(hashLeaf(entry));
        expect(range?.hashes).toEqual(rangeOf(list).hashes);
        expect(range?.size).toBe(list.length);
      }),
    );
  });

  test('a compact range has one hash for each bit that is set in its size, so at most 53 hashes', () => {
    const hash = encodeHash(hashLeaf(Buffer.of()));
    for (const [size, length] of [
      [0, 0],
      [2 ** 40, 1],
      [2 ** 40 + 1, 2],
      [Number.MAX_SAFE_INTEGER, 53],
    ] as const) {
      expect(CompactRange.from(size, Array(length).fill(hash))?.size).toBe(size);
      expect(CompactRange.from(size, Array(length + 1).fill(hash))).toBeUndefined();
      if (length > 0) expect(CompactRange.from(size, Array(length - 1).fill(hash))).toBeUndefined();
    }
  });

  test('a compact range of more than 2^32 leaves merges like a smaller range', () => {
    const [one, two, three] = ENTRIES.map(hashLeaf).map(encodeHash);
    const range = CompactRange.from(2 ** 40 + 3, [one ?? '', two ?? '', three ?? '']);
    range?.append(hashLeaf(Buffer.of()));
    expect(range?.size).toBe(2 ** 40 + 4);
    expect(range?.hashes).toHaveLength(2);
    expect(range?.hashes[0]).toBe(one);
  });

  test('no compact range is made from an invalid size or invalid hashes', () => {
    const hash = encodeHash(hashLeaf(Buffer.of()));
    for (const size of [-1, 0.5, Number.NaN, 2 ** 53]) expect(CompactRange.from(size, [hash])).toBeUndefined();
    for (const text of ['', 'AAAA', hash.slice(0, -1), `${hash}\n`, encodeHash(Buffer.alloc(33))]) {
      expect(decodeHash(text)).toBeUndefined();
      expect(CompactRange.from(1, [text])).toBeUndefined();
      expect(CompactRange.from(1, [text, hash])).toBeUndefined();
    }
  });
});
