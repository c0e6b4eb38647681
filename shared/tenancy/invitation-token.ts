import { createHash, timingSafeEqual } from 'node:crypto';
import { decodeBase32, encodeBase32 } from '../base/base32.ts';
import { type Id, idBytes, idFromBytes, type TenantId } from '../base/ids.ts';
import type { InvitationId } from './team.ts';

/** The parts of an invitation's token. They identify the invitation and prove that it was received. */
interface InvitationToken {
  readonly tenantId: TenantId;
  readonly invitationId: InvitationId;
  /** 32 random bytes in base64url. */
  readonly secret: string;
}

export const INVITATION_TOKEN_LENGTH = 101;

/** `esi_`, two ids of 26 characters of base32, and a secret of 43 characters of base64url. */
const SHAPE = /^esi_([a-z2-7]{26})_([a-z2-7]{26})_([A-Za-z0-9_-]{43})$/;

export function parseInvitationToken(text: string): InvitationToken | undefined {
  const [, tenant = '', invitation = '', secret = ''] = SHAPE.exec(text) ?? [];
  const tenantId = parsePart<TenantId>(tenant);
  const invitationId = parsePart<InvitationId>(invitation);
  return tenantId && invitationId && { tenantId, invitationId, secret };
}

export function viewInvitationToken({ tenantId, invitationId, secret }: InvitationToken): string {
  return `esi_${encodeBase32(idBytes(tenantId))}_${encodeBase32(idBytes(invitationId))}_${secret}`;
}

/** Returns the SHA-256 in hexadecimal. The secret has 256 random bits, so a slow hash would add nothing. */
export function hashInvitationSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

/** Whether the secret has this hash. Compares in constant time. */
export function provesInvitation(secret: string, hash: string): boolean {
  return timingSafeEqual(Buffer.from(hashInvitationSecret(secret), 'hex'), Buffer.from(hash, 'hex'));
}

function parsePart<T extends Id<string>>(text: string): T | undefined {
  const bytes = decodeBase32(text);
  return bytes?.length === 16 ? idFromBytes<T>(bytes) : undefined;
}
