import type { UsageLine } from '../../../../client/src/index.ts';
import { Link } from '../../address/link.tsx';
import { pathOfKey } from '../../address/paths.ts';
import { Meter } from '../../parts/meter.tsx';
import { Name } from '../../parts/name.tsx';
import { count, OVERVIEW } from '../../words.ts';

/** The maximum number of keys in the table. */
const MAX_KEYS = 8;

interface AllowanceTableProps {
  readonly lines: readonly UsageLine[];
  readonly nameOf: (keyId: string) => string;
  readonly isFrozen: (keyId: string) => boolean;
}

/** A table of the keys that have used the largest share of their allowance. */
export function AllowanceTable({ lines, nameOf, isFrozen }: AllowanceTableProps) {
  const [key, ops, of, used] = OVERVIEW.allowanceColumns;
  if (lines.length === 0) return <p class="muted">{OVERVIEW.noKeys}</p>;
  return (
    <table class="compact narrow">
      <caption class="unseen">{OVERVIEW.allowance}</caption>
      <thead>
        <tr>
          <th scope="col">{key}</th>
          {[ops, of, used].map((title) => (
            <th key={title} scope="col" class="number">
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {fullestFirst(lines)
          .slice(0, MAX_KEYS)
          .map((line) => (
            <tr key={line.key_id}>
              <th scope="row">
                <Link to={pathOfKey(line.key_id)}>
                  <Name text={nameOf(line.key_id)} />
                </Link>{' '}
                {isFrozen(line.key_id) && <span class="muted">{OVERVIEW.frozen}</span>}
              </th>
              <td class="number">{count(line.ops)}</td>
              <td class="number">{count(line.allowance)}</td>
              <td class="number">
                <Meter part={line.ops} whole={line.allowance} />
              </td>
            </tr>
          ))}
      </tbody>
    </table>
  );
}

interface Share {
  readonly ops: number;
  readonly allowance: number;
}

/** Returns the lines sorted by the used fraction of the allowance, highest first. */
export function fullestFirst<Line extends Share>(lines: readonly Line[]): Line[] {
  const share = ({ ops, allowance }: Share): number => (allowance === 0 ? 0 : ops / allowance);
  return [...lines].sort((a, b) => share(b) - share(a));
}
