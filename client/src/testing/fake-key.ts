import { TIER, TIERS } from '../api/generated.ts';
import type { ApiErrorCode } from '../errors.ts';
import { type Bytes, concat, random } from '../files/bytes.ts';
import { bytesOfKeyId } from '../files/key-id.ts';
import type { Tier } from '../types.ts';

/** An answer with an error code. `more` are further fields of the body. */
export class Refusal extends Error {
  readonly code: ApiErrorCode;
  readonly more: object;

  constructor(code: ApiErrorCode, message: string, more: object = {}) {
    super(message);
    this.code = code;
    this.more = more;
  }
}

/** The versions that decrypt carry their number in three bytes, on `free` and `wrapped` keys. */
const MESSAGE_FORMAT = 1;
const MESSAGE_NONCE = 16;
/** The format of the KMS is its own; only its own service can read it. */
const KMS_FORMAT = 0x0a;
const IV_LENGTH = 12;
const DEK_LENGTHS = [16, 24, 32];
const PLAINTEXT_LIMIT = 65_536;
const HSM_LIMIT = 8_176;
const CAP = TIER.free.monthlyOps;

interface Version {
  readonly version: number;
  readonly created_at: string;
  readonly secret: ReturnType<typeof makeSecret>;
}

function makeSecret() {
  return crypto.subtle.generateKey({ name: 'AES-GCM', length: 256 }, false, ['encrypt', 'decrypt']);
}

/** A key of the fake, with its versions in memory. */
export class FakeKey {
  readonly id = crypto.randomUUID();
  name: string;
  readonly tier: Tier;
  readonly #container: string;
  readonly #created = now();
  #versions: Version[] = [];
  #primary = 0;
  #used = { month: '', ops: 0 };

  constructor(name: string, tier: Tier, container: string) {
    this.name = name;
    this.tier = tier;
    this.#container = container;
    this.rotate();
  }

  /** Adds a version. Only as many as the tier retains can decrypt. */
  rotate(): void {
    this.#primary += 1;
    this.#versions.push({ version: this.#primary, created_at: now(), secret: makeSecret() });
  }

  view() {
    return {
      id: this.id,
      name: this.name,
      tier: this.tier,
      container_id: this.#container,
      state: 'active',
      created_at: this.#created,
      delete_requested_at: null,
      destroy_after: null,
      frozen_at: null,
      primary_version: this.#primary,
      versions: this.#versions.map(({ version, created_at }) => ({
        version,
        state: this.#isEnabled(version) ? 'enabled' : 'destroy_scheduled',
        created_at,
      })),
    };
  }

  /** Throws `payload_too_large` or `invalid_request` for a plaintext outside of the limits. */
  checkPlaintext(plaintext: Bytes, aad: Bytes): void {
    if (plaintext.length === 0) throw new Refusal('invalid_request', 'plaintext must not be empty');
    refuseOver('plaintext', plaintext.length, PLAINTEXT_LIMIT);
    this.checkAad(aad);
    this.#checkTotal('plaintext', plaintext, aad);
  }

  checkDek(dek: Bytes, aad: Bytes): void {
    if (!DEK_LENGTHS.includes(dek.length)) throw new Refusal('invalid_dek_length', 'dek must be 16, 24 or 32 bytes');
    this.checkAad(aad);
    this.#checkTotal('dek', dek, aad);
  }

  checkAad(aad: Bytes): void {
    refuseOver('aad', aad.length, this.#isInKms ? 65_520 : 65_536);
  }

  /** Throws `ops_cap_reached` at the monthly cap of a `free` key. */
  checkCap(): void {
    if (this.tier === 'free' && this.#opsOf(now().slice(0, 7)) >= CAP) {
      throw new Refusal('ops_cap_reached', 'the monthly cap of this key is used up', capFields());
    }
  }

  /** Counts an operation. */
  count(): void {
    const month = now().slice(0, 7);
    this.#used = { month, ops: this.#opsOf(month) + 1 };
  }

  async seal(plaintext: Bytes, aad: Bytes): Promise<Bytes> {
    const version = this.#versions.find((one) => one.version === this.#primary);
    if (version === undefined) throw new Error('the fake has lost a version');
    const number = new Uint8Array([this.#primary >> 16, this.#primary >> 8, this.#primary]);
    const header = this.#isInKms
      ? concat(new Uint8Array([KMS_FORMAT]), bytesOfKeyId(this.id), number, random(IV_LENGTH))
      : concat(new Uint8Array([MESSAGE_FORMAT]), number, random(MESSAGE_NONCE));
    const algorithm = this.#algorithm(header, aad);
    const sealed = await crypto.subtle.encrypt(algorithm, await version.secret, plaintext);
    return concat(header, new Uint8Array(sealed));
  }

  /** Returns the plaintext. Throws `invalid_ciphertext` for whatever the enabled versions of this key did not make. */
  async open(ciphertext: Bytes, aad: Bytes): Promise<Bytes> {
    const numberAt = this.#isInKms ? 17 : 1;
    const headerLength = numberAt + 3 + (this.#isInKms ? IV_LENGTH : MESSAGE_NONCE);
    const header = ciphertext.slice(0, headerLength);
    const [high = 0, middle = 0, low = 0] = header.subarray(numberAt);
    const version = this.#versions.find((one) => one.version === ((high << 16) | (middle << 8) | low));
    try {
      if (version === undefined || !this.#isEnabled(version.version)) throw new Error('no such version');
      const algorithm = this.#algorithm(header, aad);
      return new Uint8Array(
        await crypto.subtle.decrypt(algorithm, await version.secret, ciphertext.slice(headerLength)),
      );
    } catch {
      throw new Refusal('invalid_ciphertext', 'the ciphertext cannot be decrypted');
    }
  }

  isDek(plaintext: Bytes): boolean {
    return DEK_LENGTHS.includes(plaintext.length);
  }

  #opsOf(month: string): number {
    return this.#used.month === month ? this.#used.ops : 0;
  }

  get #isInKms(): boolean {
    return this.tier === 'software' || this.tier === 'hsm';
  }

  #isEnabled(version: number): boolean {
    return version > this.#primary - TIER[this.tier].retainedVersions;
  }

  #algorithm(header: Bytes, aad: Bytes) {
    return {
      name: 'AES-GCM',
      iv: header.slice(-IV_LENGTH),
      additionalData: concat(header, bytesOfKeyId(this.id), aad),
    };
  }

  #checkTotal(name: string, secret: Bytes, aad: Bytes): void {
    if (this.tier === 'hsm') refuseOver(`${name} and aad together`, secret.length + aad.length, HSM_LIMIT);
  }
}

/** Returns the further fields of `ops_cap_reached`: the cap, and the start of the next month. */
export function capFields(): object {
  const today = new Date();
  const next = new Date(Date.UTC(today.getUTCFullYear(), today.getUTCMonth() + 1, 1));
  return { cap: CAP, resets_at: next.toISOString() };
}

export function isTier(text: string): text is Tier {
  return TIERS.some((tier) => tier === text);
}

function refuseOver(what: string, bytes: number, limit: number): void {
  if (bytes > limit) throw new Refusal('payload_too_large', `${what} must be at most ${limit} bytes`);
}

function now(): string {
  return new Date().toISOString().replace('Z', '000Z');
}
