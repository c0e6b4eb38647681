import type { Store } from '../../shared/store/store.ts';
import { CLAIMS, CLAIMS_OF_ALL } from '../../shared/tenancy/claim.ts';
import { findNamed, kindOf } from './named.ts';
import { checkEach, Part } from './part.ts';
import type { CheckServices } from './services.ts';

/** Checks each claim of a name. The object that holds the claim must exist and have this name. */
export async function checkClaims({ store }: Pick<CheckServices, 'store'>) {
  const part = new Part('Name claims against the objects that hold them', { claims: 0 });
  await checkEach(store.pagesWithIds(CLAIMS_OF_ALL, { equal: [] }), async ({ id, doc: { holder } }) => {
    part.count('claims');
    if (await isHeld(store, id, holder)) return;
    const kind = kindOf(id) ?? 'object';
    const text = `a name is reserved for ${kind} ${holder}, but no such ${kind} has the name`;
    const remedy = `To free the name, delete document names/${id}`;
    part.findings.push({ kind: 'name-held', about: { claim: id, holder }, text, remedy });
  });
  return part;
}

/**
 * Returns whether the object that holds the claim has the name. Also returns `true` if the claim was deleted or changed
 * during the check.
 */
async function isHeld(store: Store, claim: string, holder: string): Promise<boolean> {
  const kind = kindOf(claim);
  const [found] = kind === undefined ? [] : await findNamed(store, kind, [holder]);
  if (found?.claim === claim) return true;
  return (await store.find(CLAIMS, claim))?.holder !== holder;
}
