import { createHash } from 'node:crypto';
import { decodeBase64 } from '../base/base64.ts';

/** The hash of a leaf, a node or a whole tree: 32 bytes of SHA-256. */
export type Hash = Uint8Array;

const HASH_BYTES = 32;
const LEAF = Uint8Array.of(0x00);
const NODE = Uint8Array.of(0x01);

/** The hash of an entry as a leaf of the tree (RFC 9162 §2.1.1). */
export function hashLeaf(entry: Uint8Array): Hash {
  return createHash('sha256').update(LEAF).update(entry).digest();
}

/** The hash of the node above two others (RFC 9162 §2.1.1). */
export function hashNode(left: Hash, right: Hash): Hash {
  return createHash('sha256').update(NODE).update(left).update(right).digest();
}

/** Base64 of a hash, as seals and checkpoints have it. */
export function encodeHash(hash: Hash): string {
  return Buffer.from(hash).toString('base64');
}

/** The hash that {@link encodeHash} gave; `undefined` when the text is anything but the base64 of 32 bytes. */
export function decodeHash(text: string): Hash | undefined {
  const hash = decodeBase64(text);
  return hash?.length === HASH_BYTES ? hash : undefined;
}

/**
 * The right edge of a Merkle tree (RFC 9162 §2.1): for each 1 in the binary form of its size, from the left, the root of
 * the perfect subtree of so many leaves. Leaves can be added to it and the tree's root read off it, without the leaves that
 * are already there: it is at most 53 hashes, however large the tree.
 */
export class CompactRange {
  #size: number;
  readonly #hashes: Hash[];

  private constructor(size: number, hashes: Hash[]) {
    this.#size = size;
    this.#hashes = hashes;
  }

  /** That of a tree without leaves. */
  static empty(): CompactRange {
    return new CompactRange(0, []);
  }

  /** The range of a tree of `size` leaves that had these {@link hashes}; `undefined` when no such tree can have had them. */
  static from(size: number, hashes: readonly string[]): CompactRange | undefined {
    if (!Number.isSafeInteger(size) || size < 0) return undefined;
    const decoded = hashes.flatMap((text) => decodeHash(text) ?? []);
    if (decoded.length !== hashes.length || decoded.length !== countOnes(size)) return undefined;
    return new CompactRange(size, decoded);
  }

  /** How many leaves the tree has. */
  get size(): number {
    return this.#size;
  }

  /** All that has to be kept to go on later, in base64. */
  get hashes(): string[] {
    return this.#hashes.map(encodeHash);
  }

  /** Adds a leaf at the right, by its hash. */
  append(leaf: Hash): void {
    const completed = this.#hashes.splice(this.#hashes.length - countTrailingOnes(this.#size));
    this.#hashes.push(completed.reduceRight((right, left) => hashNode(left, right), leaf));
    this.#size++;
  }

  /** The hash of the whole tree; of a tree without leaves, the hash of nothing. */
  root(): Hash {
    if (this.#size === 0) return createHash('sha256').digest();
    return this.#hashes.reduceRight((right, left) => hashNode(left, right));
  }
}

/** The root of the tree that has these leaves, given by their hashes. */
export function rootOf(leaves: readonly Hash[]): Hash {
  const range = CompactRange.empty();
  for (const leaf of leaves) range.append(leaf);
  return range.root();
}

function countOnes(size: number): number {
  return size.toString(2).replaceAll('0', '').length;
}

// No shifts: they would cut a size off at 32 bits.
function countTrailingOnes(size: number): number {
  let ones = 0;
  for (let rest = size; rest % 2 === 1; rest = Math.floor(rest / 2)) ones++;
  return ones;
}
