import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  proveConsistency,
  proveInclusion,
  verifyConsistency,
  verifyInclusion,
} from '../../../shared/transparency/proofs.ts';
import { type Hash, hashLeaf, hashNode, rootOf } from '../../../shared/transparency/tree.ts';
import { ENTRIES, NODES } from './tree-vectors.ts';

const LEAVES = ENTRIES.map(hashLeaf);
const hex = (hashes: readonly Hash[]) => hashes.map((hash) => Buffer.from(hash).toString('hex'));
const leavesOf = (size: number) => Array.from({ length: size }, (_, index) => hashLeaf(Buffer.of(index)));
const first = (size: number) => LEAVES.slice(0, size);

describe('the vectors of Certificate Transparency', () => {
  test.each([
    [0, 1, []],
    [0, 2, [NODES[0][1]]],
    [1, 2, [NODES[0][0]]],
    [2, 3, [NODES[1][0]]],
    [1, 5, [NODES[0][0], NODES[1][1], NODES[0][4]]],
    [0, 8, [NODES[0][1], NODES[1][1], NODES[2][1]]],
    [5, 8, [NODES[0][4], NODES[1][3], NODES[2][0]]],
  ])('the inclusion proof of leaf %i in a tree of %i', (index, size, proof) => {
    expect(hex(proveInclusion(index, first(size)))).toEqual(proof);
  });

  test.each([
    [1, 1, []],
    [1, 8, [NODES[0][1], NODES[1][1], NODES[2][1]]],
    [2, 5, [NODES[1][1], NODES[0][4]]],
    [6, 8, [NODES[1][2], NODES[1][3], NODES[2][0]]],
  ])('the consistency proof from a tree of %i to one of %i', (oldSize, newSize, proof) => {
    expect(hex(proveConsistency(oldSize, first(newSize)))).toEqual(proof);
  });
});

/** A tree's size and a leaf of it. */
const sizeAndIndex = fc.integer({ min: 1, max: 70 }).chain((size) => fc.tuple(fc.constant(size), fc.nat(size - 1)));

/** Ways to spoil a proof of some hashes: one of them altered, left out, added or moved. */
const spoiled = (proof: readonly Hash[]): Hash[][] => [
  ...proof.flatMap((hash, at) => [
    proof.with(
      at,
      Uint8Array.from(hash, (byte, index) => (index === 31 ? byte ^ 1 : byte)),
    ),
    proof.toSpliced(at, 1),
    proof.toSpliced(at, 0, hashLeaf(Buffer.of(at))),
    proof.toSpliced(at, 0, hash),
  ]),
  [...proof, hashLeaf(Buffer.from('after'))],
];

describe('an inclusion proof', () => {
  test('of every leaf of every tree up to 33 is verified', () => {
    for (let size = 1; size <= 33; size++) {
      const leaves = leavesOf(size);
      const root = rootOf(leaves);
      for (const [index, leaf] of leaves.entries()) {
        expect(verifyInclusion(leaf, index, size, proveInclusion(index, leaves), root)).toBe(true);
      }
    }
  });

  test('is refused for another leaf, place, root, or when it is spoiled', () => {
    fc.assert(
      fc.property(sizeAndIndex, fc.nat(69), ([size, index], other) => {
        const leaves = leavesOf(size);
        const leaf = hashLeaf(Buffer.of(index));
        const [root, proof] = [rootOf(leaves), proveInclusion(index, leaves)];
        expect(verifyInclusion(leaf, index, size, proof, root)).toBe(true);
        expect(verifyInclusion(hashLeaf(Buffer.of(index, 0)), index, size, proof, root)).toBe(false);
        expect(verifyInclusion(leaf, index, size, proof, hashNode(root, root))).toBe(false);
        if (other !== index) expect(verifyInclusion(leaf, other, size, proof, root)).toBe(false);
        for (const bad of spoiled(proof)) expect(verifyInclusion(leaf, index, size, bad, root)).toBe(false);
      }),
    );
  });

  test('is refused for what is no place in a tree', () => {
    const [leaf = Buffer.of()] = LEAVES;
    for (const [index, size] of [
      [0, 0],
      [1, 1],
      [-1, 1],
      [0.5, 1],
      [0, Number.NaN],
      [0, 2 ** 53],
    ] as const) {
      expect(verifyInclusion(leaf, index, size, [], leaf)).toBe(false);
    }
  });

  test('is refused when it goes on past the root, or the root is longer than a hash, whatever it hashes to', () => {
    const [leaf = Buffer.of(), beside = Buffer.of()] = LEAVES;
    expect(verifyInclusion(leaf, 0, 1, [], leaf)).toBe(true);
    expect(verifyInclusion(leaf, 0, 1, [beside], hashNode(beside, leaf))).toBe(false);
    expect(verifyInclusion(leaf, 0, 1, [beside], hashNode(leaf, beside))).toBe(false);
    expect(verifyInclusion(leaf, 0, 1, [], Buffer.concat([leaf, Buffer.of(0)]))).toBe(false);
  });

  test('goes up a tree of more leaves than 32 bits count', () => {
    const [leaf = Buffer.of(), beside = Buffer.of()] = LEAVES;
    const proof = Array<Hash>(40).fill(beside);
    const atLeft = proof.reduce((below, hash) => hashNode(below, hash), leaf);
    const atRight = proof.reduce((below, hash) => hashNode(hash, below), leaf);
    expect(verifyInclusion(leaf, 0, 2 ** 40, proof, atLeft)).toBe(true);
    expect(verifyInclusion(leaf, 2 ** 40 - 1, 2 ** 40, proof, atRight)).toBe(true);
    expect(verifyInclusion(leaf, 2 ** 40 - 2, 2 ** 40, proof, atRight)).toBe(false);
  });

  test('is not made for a leaf that is not there', () => {
    for (const index of [-1, 8, 0.5, Number.NaN]) expect(() => proveInclusion(index, LEAVES)).toThrow('no leaf');
  });
});

describe('a consistency proof', () => {
  test('between any two trees up to 33 is verified', () => {
    for (let newSize = 1; newSize <= 33; newSize++) {
      const leaves = leavesOf(newSize);
      for (let oldSize = 1; oldSize <= newSize; oldSize++) {
        const proof = proveConsistency(oldSize, leaves);
        const oldRoot = rootOf(leaves.slice(0, oldSize));
        expect(verifyConsistency(oldSize, newSize, proof, oldRoot, rootOf(leaves))).toBe(true);
      }
    }
  });

  test('is refused between other sizes and roots, or when it is spoiled', () => {
    fc.assert(
      fc.property(sizeAndIndex, fc.nat(69), ([newSize, index], other) => {
        const oldSize = index + 1;
        const leaves = leavesOf(newSize);
        const [oldRoot, newRoot] = [rootOf(leaves.slice(0, oldSize)), rootOf(leaves)];
        const proof = proveConsistency(oldSize, leaves);
        const verify = verifyConsistency;
        expect(verify(oldSize, newSize, proof, oldRoot, newRoot)).toBe(true);
        expect(verify(oldSize, newSize, proof, hashNode(oldRoot, oldRoot), newRoot)).toBe(false);
        expect(verify(oldSize, newSize, proof, oldRoot, hashNode(newRoot, newRoot))).toBe(false);
        if (other !== oldSize) expect(verify(other, newSize, proof, oldRoot, newRoot)).toBe(false);
        for (const bad of spoiled(proof)) expect(verify(oldSize, newSize, bad, oldRoot, newRoot)).toBe(false);
      }),
    );
  });

  test('never leads from a tree to one in which a leaf of it is another', () => {
    fc.assert(
      fc.property(sizeAndIndex, fc.nat(69), ([newSize, index], at) => {
        const oldSize = index + 1;
        const changed = at % oldSize;
        const leaves = leavesOf(newSize);
        const oldRoot = rootOf(leaves.slice(0, oldSize));
        const rewritten = leaves.with(changed, hashLeaf(Buffer.from('rewritten')));
        const proof = proveConsistency(oldSize, rewritten);
        expect(verifyConsistency(oldSize, newSize, proof, oldRoot, rootOf(rewritten))).toBe(false);
      }),
    );
  });

  test('is refused from a tree without leaves, to a smaller one, and for what are no sizes', () => {
    const root = rootOf(LEAVES);
    for (const [oldSize, newSize] of [
      [0, 0],
      [0, 8],
      [8, 7],
      [-1, 8],
      [0.5, 8],
      [8, Number.NaN],
    ] as const) {
      expect(verifyConsistency(oldSize, newSize, [], root, root)).toBe(false);
      expect(verifyConsistency(oldSize, newSize, [root], root, root)).toBe(false);
    }
    expect(verifyConsistency(8, 8, [], root, root)).toBe(true);
    expect(verifyConsistency(8, 8, [root], root, root)).toBe(false);
  });

  test('is refused when it goes on past the root, whatever it hashes to', () => {
    const [one = Buffer.of(), two = Buffer.of(), past = Buffer.of()] = LEAVES;
    const [oldRoot, newRoot] = [hashNode(past, one), hashNode(past, hashNode(one, two))];
    expect(verifyConsistency(1, 2, [two], one, hashNode(one, two))).toBe(true);
    expect(verifyConsistency(1, 2, [two, past], oldRoot, newRoot)).toBe(false);
    expect(verifyConsistency(1, 2, [], one, one)).toBe(false);
    expect(verifyConsistency(3, 4, [], one, one)).toBe(false);
  });

  test('is not made from a tree without leaves, or from a larger one', () => {
    for (const oldSize of [0, 9, -1, 0.5]) expect(() => proveConsistency(oldSize, LEAVES)).toThrow('no proof');
  });
});
