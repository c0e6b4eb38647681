import { createHash } from 'node:crypto';
import { decodeBase64 } from '../base/base64.ts';

/** A SHA-256 hash of 32 bytes. */
export type Hash = Uint8Array;

const HASH_BYTES = 32;
const LEAF = Uint8Array.of(0x00);
const NODE = Uint8Array.of(0x01);

/** Returns the hash of an entry as a leaf (RFC 9162 §2.1.1). */
export function hashLeaf(entry: Uint8Array): Hash {
  return createHash('sha256').update(LEAF).update(entry).digest();
}

/** Returns the hash of an inner node (RFC 9162 §2.1.1). */
export function hashNode(left: Hash, right: Hash): Hash {
  return createHash('sha256').update(NODE).update(left).update(right).digest();
}

export function encodeHash(hash: Hash): string {
  return Buffer.from(hash).toString('base64');
}

/** Decodes the base64 of 32 bytes, or returns `undefined`. */
export function decodeHash(text: string): Hash | undefined {
  const hash = decodeBase64(text);
  return hash?.length === HASH_BYTES ? hash : undefined;
}

/**
 * The right edge of a Merkle tree (RFC 9162 §2.1): one root per perfect subtree, at most 53 hashes. It can append
 * leaves and compute the tree's root without the earlier leaves.
 */
export class CompactRange {
  #size: number;
  readonly #hashes: Hash[];

  private constructor(size: number, hashes: Hash[]) {
    this.#size = size;
    this.#hashes = hashes;
  }

  static empty(): CompactRange {
    return new CompactRange(0, []);
  }

  /** Makes a range from its size and {@link hashes}. Returns `undefined` if the hashes do not fit the size. */
  static from(size: number, hashes: readonly string[]): CompactRange | undefined {
    if (!Number.isSafeInteger(size) || size < 0) return undefined;
    const decoded = hashes.flatMap((text) => decodeHash(text) ?? []);
    if (decoded.length !== hashes.length || decoded.length !== countOnes(size)) return undefined;
    return new CompactRange(size, decoded);
  }

  get size(): number {
    return this.#size;
  }

  /** The hashes to store together with the size, in base64. */
  get hashes(): string[] {
    return this.#hashes.map(encodeHash);
  }

  append(leaf: Hash): void {
    const completed = this.#hashes.splice(this.#hashes.length - countTrailingOnes(this.#size));
    this.#hashes.push(completed.reduceRight((right, left) => hashNode(left, right), leaf));
    this.#size++;
  }

  /** Returns the tree's root. For an empty tree, this is the hash of an empty string. */
  root(): Hash {
    if (this.#size === 0) return createHash('sha256').digest();
    return this.#hashes.reduceRight((right, left) => hashNode(left, right));
  }
}

/** Returns the root of the tree with these leaves (RFC 9162 §2.1). */
export function rootOf(leaves: readonly Hash[]): Hash {
  const range = CompactRange.empty();
  for (const leaf of leaves) range.append(leaf);
  return range.root();
}

function countOnes(size: number): number {
  return size.toString(2).replaceAll('0', '').length;
}

// Divides instead of shifting, because shifts would truncate to 32 bits.
function countTrailingOnes(size: number): number {
  let ones = 0;
  for (let rest = size; rest % 2 === 1; rest = Math.floor(rest / 2)) ones++;
  return ones;
}
