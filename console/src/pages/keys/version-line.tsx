import type { Key } from '../../../../client/src/index.ts';
import { Moment } from '../../parts/moment.tsx';
import { retiredByRotation } from '../../service/versions.ts';
import { KEYS } from '../../words.ts';

/**
 * A list of a key's versions, newest first. It marks the primary version, and the versions that the next rotation would
 * retire.
 */
export function VersionLine({ of }: { readonly of: Key }) {
  const next = new Set(retiredByRotation(of).map(({ version }) => version));
  const ordered = [...of.versions].sort((a, b) => b.version - a.version);
  return (
    <ol class="versions">
      {ordered.map(({ version, state, created_at }) => (
        <li key={version} class={version === of.primary_version ? 'primary' : state}>
          <strong>{KEYS.version(version)}</strong>
          <span>
            {version === of.primary_version && `${KEYS.primary} · `}
            {state === 'enabled' ? KEYS.enabled : KEYS.scheduled}
            {next.has(version) && ` · ${KEYS.nextToGo}`}
          </span>
          <span class="muted">
            <Moment time={created_at} />
          </span>
        </li>
      ))}
    </ol>
  );
}
