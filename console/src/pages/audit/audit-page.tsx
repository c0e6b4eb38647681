import { useEffect, useMemo, useState } from 'preact/hooks';
import type { AuditEvent } from '../../../../client/src/index.ts';
import { setQuery, useAddress } from '../../address/address.ts';
import { Empty } from '../../parts/empty.tsx';
import { EventList } from '../../parts/event-list.tsx';
import { Page } from '../../parts/page.tsx';
import { SealedUpTo } from '../../parts/seal.tsx';
import { readAdministration } from '../../service/administration.ts';
import { service } from '../../session/session.ts';
import { AUDIT } from '../../words.ts';
import { AuditExport } from './audit-export.tsx';
import { AuditFilters } from './audit-filters.tsx';
import { ALL_ADMINISTRATION, FILTERS, readFilters, unreadableFilters } from './filters.ts';

const PAGE = 50;
const FOLLOW_MS = 5_000;

/**
 * The audit log of the tenant. The address contains the filters, and whether the page shows new events as they arrive.
 */
export function AuditPage() {
  const { query } = useAddress();
  const given = FILTERS.map((name) => query.get(name) ?? '').join('\n');
  const read = useMemo(() => () => readEvents(query, PAGE), [given]);
  const [round, setRound] = useState(0);
  const follows = query.get('follow') === 'yes';
  useEffect(() => {
    if (!follows) return;
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') setRound((before) => before + 1);
    }, FOLLOW_MS);
    return () => clearInterval(timer);
  }, [follows]);
  const isFiltered = FILTERS.some((name) => query.has(name));
  const clear = (): void => setQuery(Object.fromEntries(FILTERS.map((name) => [name, undefined])));
  const unreadable = unreadableFilters(query);
  if (unreadable.length > 0) {
    return (
      <Page title={AUDIT.title}>
        <div role="alert" class="problem">
          <p>
            <strong>{AUDIT.unreadable(unreadable)}</strong> {AUDIT.unreadableAdvice}
          </p>
          <p class="row">
            <button type="button" onClick={clear}>
              {AUDIT.clear}
            </button>
          </p>
        </div>
      </Page>
    );
  }
  const nothing = (
    <Empty drawing="audit">
      <p>{AUDIT.empty}</p>
    </Empty>
  );
  return (
    <Page title={AUDIT.title} actions={<AuditExport read={(limit) => readEvents(query, limit)} />}>
      <AuditFilters />
      <div class="row">
        <label class="check">
          <input
            type="checkbox"
            checked={follows}
            onChange={({ currentTarget }) => setQuery({ follow: currentTarget.checked ? 'yes' : undefined })}
          />{' '}
          {AUDIT.live}
        </label>
        {isFiltered && (
          <button type="button" onClick={clear}>
            {AUDIT.clear}
          </button>
        )}
      </div>
      <SealedUpTo />
      <EventList
        // The rows of one filter never stand under another one.
        key={given}
        read={read}
        size={PAGE}
        empty={isFiltered ? <p class="muted">{AUDIT.noMatch}</p> : nothing}
        round={round}
      />
    </Page>
  );
}

/** Reads the events that the filters in an address select, newest first. Reads `limit` events per request. */
function readEvents(query: URLSearchParams, limit: number): AsyncGenerator<AuditEvent, void> {
  const filters = { ...readFilters(query), limit };
  return query.get('operation') === ALL_ADMINISTRATION ? readAdministration(filters) : service().readAudit(filters);
}
