import { z } from 'zod';
import { idBytes, idFromBytes, parseId, type TenantId } from '../base/ids.ts';
import { bytesField, collection } from '../store/collection.ts';
import type { Reader, Store } from '../store/store.ts';
import type { Writes } from '../store/writes.ts';

/** Entries per document. */
const CHUNK = 1_000;
const ID_BYTES = 16;

const sealedRows = z.object({
  /** The row ids of up to 1,000 entries. The document with number n starts at entry 1,000 n. Each id has 16 bytes. */
  ids: bytesField,
});

/** `sealedRows/{tenant id}_{n}`: lists which audit rows are the entries of a log. */
export const SEALED_ROWS = collection('sealedRows', sealedRows);

/** Appends ids of audit rows to the stored list of a log. */
export class RowIds {
  readonly #tenantId: TenantId;
  readonly #first: number;
  readonly #ids: Buffer[];

  private constructor(tenantId: TenantId, first: number, ids: Buffer[]) {
    this.#tenantId = tenantId;
    this.#first = first;
    this.#ids = ids;
  }

  /**
   * Reads the last document of a log with `size` entries, to append ids to it. Throws an `Error` if ids are missing.
   * Ignores additional ids, which another run has written.
   */
  static async open(from: Reader, tenantId: TenantId, size: number): Promise<RowIds> {
    const started = size % CHUNK;
    if (started === 0) return new RowIds(tenantId, size / CHUNK, []);
    const first = Math.floor(size / CHUNK);
    const stored = await from.find(SEALED_ROWS, `${tenantId}_${first}`);
    const ids = stored?.ids.subarray(0, started * ID_BYTES);
    if (ids?.length !== started * ID_BYTES)
      throw new Error(`the log's list of sealed rows has fewer than ${size} rows`);
    return new RowIds(tenantId, first, [ids]);
  }

  /** Appends the id of a row. Throws a `TypeError` unless the id is a UUID. */
  append(rowId: string): void {
    const id = parseId(rowId);
    if (id === undefined || id !== rowId) throw new TypeError('the id of an audit event must be a UUID');
    this.#ids.push(idBytes(id));
  }

  write(writes: Writes): void {
    const ids = Buffer.concat(this.#ids);
    for (let at = 0, n = this.#first; at < ids.length; at += CHUNK * ID_BYTES, n++) {
      writes.put(SEALED_ROWS, `${this.#tenantId}_${n}`, { ids: ids.subarray(at, at + CHUNK * ID_BYTES) });
    }
  }
}

/** Returns the row ids of the entries from `from` until before `until`, in order, with `undefined` for a missing id. */
export async function readRowIds(
  store: Store,
  tenantId: TenantId,
  from: number,
  until: number,
): Promise<(string | undefined)[]> {
  if (from >= until) return [];
  const first = Math.floor(from / CHUNK);
  const count = Math.floor((until - 1) / CHUNK) - first + 1;
  const names = Array.from({ length: count }, (_, at) => `${tenantId}_${first + at}`);
  const chunks = await store.findAll(SEALED_ROWS, names);
  return Array.from({ length: until - from }, (_, at) => {
    const entry = from + at;
    const ids = chunks[Math.floor(entry / CHUNK) - first]?.ids;
    const id = ids?.subarray((entry % CHUNK) * ID_BYTES, ((entry % CHUNK) + 1) * ID_BYTES);
    return id?.length === ID_BYTES ? idFromBytes(id) : undefined;
  });
}
