import { type Hash, hashNode, rootOf } from './tree.ts';

/**
 * The inclusion proof (RFC 9162 §2.1.3.1) of the leaf at `index`, which counts from 0, in the tree of these leaves: the
 * hashes beside the way from it to the root. Throws a `RangeError` for a leaf that is not in the tree.
 */
export function proveInclusion(index: number, leaves: readonly Hash[]): Hash[] {
  if (!Number.isInteger(index) || index < 0 || index >= leaves.length) {
    throw new RangeError(`no leaf ${index} in a tree of ${leaves.length}`);
  }
  if (leaves.length === 1) return [];
  const [left, right] = halve(leaves);
  return index < left.length
    ? [...proveInclusion(index, left), rootOf(right)]
    : [...proveInclusion(index - left.length, right), rootOf(left)];
}

/**
 * The consistency proof (RFC 9162 §2.1.4.1) from the tree of the first `oldSize` of these leaves to the tree of all of them.
 * Throws a `RangeError` unless `oldSize` is from 1 to their number: of a tree without leaves nothing can be proved.
 */
export function proveConsistency(oldSize: number, leaves: readonly Hash[]): Hash[] {
  if (!Number.isInteger(oldSize) || oldSize < 1 || oldSize > leaves.length) {
    throw new RangeError(`no proof from a tree of ${oldSize} to one of ${leaves.length}`);
  }
  return proveSubtree(oldSize, leaves, true);
}

/** SUBPROOF of RFC 9162 §2.1.4.1; `isOld`: these leaves so far are the old tree itself, whose root the verifier has. */
function proveSubtree(oldSize: number, leaves: readonly Hash[], isOld: boolean): Hash[] {
  if (oldSize === leaves.length) return isOld ? [] : [rootOf(leaves)];
  const [left, right] = halve(leaves);
  return oldSize <= left.length
    ? [...proveSubtree(oldSize, left, isOld), rootOf(right)]
    : [...proveSubtree(oldSize - left.length, right, false), rootOf(left)];
}

/** Whether the proof shows that the leaf is at `index` in the tree of `size` leaves with this root (RFC 9162 §2.1.3.2). */
export function verifyInclusion(leaf: Hash, index: number, size: number, proof: readonly Hash[], root: Hash): boolean {
  if (!isCount(index) || !isCount(size) || index >= size) return false;
  const way = new Way(index, size - 1);
  let hash = leaf;
  for (const beside of proof) {
    if (way.isAtTop) return false;
    hash = way.isRight ? hashNode(beside, hash) : hashNode(hash, beside);
    way.ascend();
  }
  return way.isAtTop && isSame(hash, root);
}

/**
 * Whether the proof shows that the tree of `newSize` leaves begins with all leaves of the tree of `oldSize`, in their order
 * (RFC 9162 §2.1.4.2). A tree without leaves proves nothing, so from size 0 it is `false`.
 */
export function verifyConsistency(
  oldSize: number,
  newSize: number,
  proof: readonly Hash[],
  oldRoot: Hash,
  newRoot: Hash,
): boolean {
  if (!isCount(oldSize) || !isCount(newSize) || oldSize < 1 || oldSize > newSize) return false;
  if (oldSize === newSize) return proof.length === 0 && isSame(oldRoot, newRoot);
  const [first, ...rest] = isPowerOfTwo(oldSize) ? [oldRoot, ...proof] : proof;
  if (first === undefined) return false;
  const way = new Way(oldSize - 1, newSize - 1);
  way.skipRightEdges();
  let [oldHash, newHash] = [first, first];
  for (const beside of rest) {
    if (way.isAtTop) return false;
    if (way.isRight) {
      oldHash = hashNode(beside, oldHash);
      newHash = hashNode(beside, newHash);
    } else {
      newHash = hashNode(newHash, beside);
    }
    way.ascend();
  }
  return way.isAtTop && isSame(oldHash, oldRoot) && isSame(newHash, newRoot);
}

/**
 * The way up from a node to the root, as the two verifications of RFC 9162 go it: `#node` and `#last` are their `fn` and
 * `sn`, the places of that node and of the last one of its level.
 */
class Way {
  #node: number;
  #last: number;

  constructor(node: number, last: number) {
    this.#node = node;
    this.#last = last;
  }

  get isAtTop(): boolean {
    return this.#last === 0;
  }

  /** Whether what is beside the node is on its left; the last of a level may have to rise to find a neighbour. */
  get isRight(): boolean {
    return this.#node % 2 === 1 || this.#node === this.#last;
  }

  /** To the next level at which the node has something beside it. Not from the top. */
  ascend(): void {
    while (this.isRight && this.#node % 2 === 0) this.#rise();
    this.#rise();
  }

  /** To the root of the largest perfect subtree that ends with this node. */
  skipRightEdges(): void {
    while (this.#node % 2 === 1) this.#rise();
  }

  // No shifts: they would cut a place off at 32 bits.
  #rise(): void {
    this.#node = Math.floor(this.#node / 2);
    this.#last = Math.floor(this.#last / 2);
  }
}

/** The leaves of the two subtrees below the root: the left one is the largest power of two that leaves any to the right. */
function halve(leaves: readonly Hash[]): [left: readonly Hash[], right: readonly Hash[]] {
  let split = 1;
  while (split * 2 < leaves.length) split *= 2;
  return [leaves.slice(0, split), leaves.slice(split)];
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}

function isPowerOfTwo(size: number): boolean {
  return /^10*$/.test(size.toString(2));
}

function isSame(one: Hash, other: Hash): boolean {
  return one.length === other.length && one.every((byte, at) => byte === other[at]);
}
