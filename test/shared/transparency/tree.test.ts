import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  CompactRange,
  decodeHash,
  encodeHash,
  type Hash,
  hashLeaf,
  hashNode,
  rootOf,
} from '../../../shared/transparency/tree.ts';

/** The leaves in the reference tests of Certificate Transparency (transparency-dev/merkle, `testonly/constants.go`). */
const ENTRIES = [
  '',
  '00',
  '10',
  '2021',
  '3031',
  '40414243',
  '5051525354555657',
  '606162636465666768696a6b6c6d6e6f',
].map((hex) => Buffer.from(hex, 'hex'));

/** The hashes of the perfect subtrees over the leaves in `ENTRIES`, level by level from the leaves, in hexadecimal. */
const NODES = [
  [
    '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
    '96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7',
    '0298d122906dcfc10892cb53a73992fc5b9f493ea4c9badb27b791b4127a7fe7',
    '07506a85fd9dd2f120eb694f86011e5bb4662e5c415a62917033d4a9624487e7',
    'bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b',
    '4271a26be0d8a84f0bd54c8c302e7cb3a3b5d1fa6780a40bcce2873477dab658',
    'b08693ec2e721597130641e8211e7eedccb4c26413963eee6c1e2ed16ffb1a5f',
    '46f6ffadd3d06a09ff3c5860d2755c8b9819db7df44251788c7d8e3180de8eb1',
  ],
  [
    'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
    '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
    '0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a',
    'ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0',
  ],
  [
    'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
    '6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4',
  ],
  ['5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328'],
] as const;

/** The roots of the trees over the first 0, 1, … 8 leaves in `ENTRIES`, in hexadecimal. */
const ROOTS = [
  'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
];

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
