import { createHash } from 'node:crypto';
import type { PageOfWindow, Window } from '../../shared/audit/window.ts';
import { isInstant } from '../../shared/base/clock.ts';
import { idBytes, idFromBytes, parseId, type TenantId } from '../../shared/base/ids.ts';

type Position = NonNullable<PageOfWindow['after']>;

/** A cursor has a position (8 bytes of time and 16 bytes of id), and a checksum over the position and the query. */
const POSITION_BYTES = 24;
const CHECKSUM_BYTES = 16;

/** The length of a cursor in characters. */
export const CURSOR_LENGTH = Math.ceil(((POSITION_BYTES + CHECKSUM_BYTES) * 4) / 3);

/**
 * Returns a position as opaque base64url. A cursor is neither secret nor signed: its time and id are also in the row,
 * and a caller could reach the same rows with `until`. The checksum detects damage and a cursor from another query.
 */
export function writeCursor(tenantId: TenantId, window: Window, { at, id }: Position): string {
  const uuid = parseId(id);
  if (uuid === undefined) throw new TypeError('the id of an audit event must be a UUID');
  const time = Buffer.alloc(8);
  time.writeBigInt64BE(BigInt(at));
  const position = Buffer.concat([time, idBytes(uuid)]);
  return Buffer.concat([position, checksum(tenantId, window, position)]).toString('base64url');
}

/** Returns a cursor's position, or `undefined` if the cursor is malformed or comes from a query with other filters. */
export function readCursor(tenantId: TenantId, window: Window, text: string): Position | undefined {
  const bytes = Buffer.from(text, 'base64url');
  if (bytes.length !== POSITION_BYTES + CHECKSUM_BYTES || bytes.toString('base64url') !== text) return undefined;
  const position = bytes.subarray(0, POSITION_BYTES);
  if (!bytes.subarray(POSITION_BYTES).equals(checksum(tenantId, window, position))) return undefined;
  const at = Number(position.readBigInt64BE());
  return isInstant(at) ? { at, id: idFromBytes(position.subarray(8)) } : undefined;
}

function checksum(tenantId: TenantId, { since, until, filters }: Window, position: Uint8Array): Buffer {
  const { operation, result, key_id, api_key_id, user_id, target_id } = filters;
  const of = [tenantId, since, until, operation, result, key_id, api_key_id, user_id, target_id].map(
    (value) => value ?? null,
  );
  return createHash('sha256').update(JSON.stringify(of)).update(position).digest().subarray(0, CHECKSUM_BYTES);
}
