import { repeatsMember } from '../../shared/base/json-members.ts';
import type { Reading } from '../../shared/http/body.ts';
import { REPEATED_MEMBER } from '../../shared/tenancy/federation.ts';

/**
 * Reads a body with `federations`. `JSON.parse` hides repeated members, so it replaces federations that have one. The
 * handler refuses them after the checks that come first.
 */
export const notingRepeats: Reading = {
  parse(text) {
    const body: unknown = JSON.parse(text);
    const hasList =
      typeof body === 'object' && body !== null && 'federations' in body && Array.isArray(body.federations);
    return hasList && repeatsMember(text, 'federations') ? { ...body, federations: [REPEATED_MEMBER] } : body;
  },
};
