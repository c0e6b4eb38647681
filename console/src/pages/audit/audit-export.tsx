import { useState } from 'preact/hooks';
import { AUDIT_FIELDS } from '../../../../client/src/api/generated.ts';
import type { AuditEvent, Query } from '../../../../client/src/index.ts';
import { Problem } from '../../parts/problem.tsx';
import { toCsv } from '../../service/csv.ts';
import { download } from '../../service/download.ts';
import { service } from '../../session/session.ts';
import { AUDIT } from '../../words.ts';

/** How many rows are asked for at a time: as many as the API gives. */
const LIMIT = 1000;

type Format = 'csv' | 'json';

/** Exports every row that the filters let through, all pages of them. */
export function AuditExport({ filters }: { readonly filters: Query<'read_audit'> }) {
  const [read, setRead] = useState<number>();
  const [failed, setFailed] = useState<{ readonly problem: unknown; readonly format: Format }>();
  const run = async (format: Format): Promise<void> => {
    if (read !== undefined) return;
    setFailed(undefined);
    setRead(0);
    try {
      const rows: AuditEvent[] = [];
      for await (const event of service().readAudit({ ...filters, limit: LIMIT })) {
        rows.push(event);
        if (rows.length % LIMIT === 0) setRead(rows.length);
      }
      if (format === 'csv') download('audit.csv', 'text/csv', toCsv(rows, AUDIT_FIELDS));
      else download('audit.json', 'application/json', `${JSON.stringify(rows, null, 2)}\n`);
    } catch (problem) {
      setFailed({ problem, format });
    }
    setRead(undefined);
  };
  return (
    <>
      <span role="status" class="small muted">
        {read === undefined ? '' : AUDIT.exporting(read)}
      </span>
      <button type="button" onClick={() => void run('csv')}>
        {AUDIT.exportCsv}
      </button>
      <button type="button" onClick={() => void run('json')}>
        {AUDIT.exportJson}
      </button>
      {failed !== undefined && <Problem problem={failed.problem} onRetry={() => void run(failed.format)} />}
    </>
  );
}
