import { useState } from 'preact/hooks';
import { ROLES as ALL_ROLES } from '../../../../client/src/api/generated.ts';
import type { Role } from '../../../../client/src/index.ts';
import { useFirst } from '../../parts/draft.ts';
import { SelectField, textOf } from '../../parts/fields.tsx';
import { MEMBERS, ROLES } from '../../words.ts';

const roleOf = (text: string | undefined): Role | undefined => ALL_ROLES.find((role) => role === text);

/** Returns the role that was chosen in the form. If no role was chosen, returns the role with the fewest rights. */
export const readRole = (data: FormData): Role => roleOf(textOf(data, 'role')) ?? 'auditor';

export function RoleField({ value }: { readonly value: Role }) {
  const [first] = useFirst('role', [value]);
  const [role, setRole] = useState(roleOf(first) ?? value);
  return (
    <SelectField
      name="role"
      label={MEMBERS.role}
      choices={ALL_ROLES.map((name) => ({ value: name, text: name }))}
      value={role}
      hint={ROLES.texts[role]}
      onChange={(text) => setRole(roleOf(text) ?? value)}
    />
  );
}
