import { useState } from 'preact/hooks';
import { AUDIT_FIELDS } from '../../../../client/src/api/generated.ts';
import type { AuditEvent } from '../../../../client/src/index.ts';
import { Problem } from '../../parts/problem.tsx';
import { toCsv } from '../../service/csv.ts';
import { AUDIT } from '../../words.ts';

/** The number of events per request: the API's maximum. */
const LIMIT = 1000;

type Format = 'csv' | 'json';

interface AuditExportProps {
  /** Reads the events to export, newest first, `limit` per request. */
  readonly read: (limit: number) => AsyncGenerator<AuditEvent, void>;
}

/** Buttons that export all events that the filters select. */
export function AuditExport({ read: readEvents }: AuditExportProps) {
  const [read, setRead] = useState<number>();
  const [failed, setFailed] = useState<{ readonly problem: unknown; readonly format: Format }>();
  const run = async (format: Format): Promise<void> => {
    if (read !== undefined) return;
    setFailed(undefined);
    setRead(0);
    try {
      const rows: AuditEvent[] = [];
      for await (const event of readEvents(LIMIT)) {
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
      {failed !== undefined && (
        <Problem problem={failed.problem} request="read" onRetry={() => void run(failed.format)} />
      )}
    </>
  );
}

/** Makes the browser save a text as a file. */
function download(name: string, type: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
