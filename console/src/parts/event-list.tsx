import { type ComponentChildren, Fragment } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { AuditEvent } from '../../../client/src/index.ts';
import { Link } from '../address/link.tsx';
import { PATHS } from '../address/paths.ts';
import { isOutage, RETRY_MS } from '../service/answer.ts';
import { currentSession, noteRefusal } from '../session/session.ts';
import { AUDIT, COMMON } from '../words.ts';
import { CodeBlock } from './code-block.tsx';
import { EventChanges } from './event-changes.tsx';
import { Id } from './id.tsx';
import { Loading } from './loaded.tsx';
import { ExactTime } from './moment.tsx';
import { Name } from './name.tsx';
import { type Named, useNames } from './names.ts';
import { Problem } from './problem.tsx';
import { EventSeal } from './seal.tsx';

/** Rows per page in the lists below other content. */
export const SHORT = 10;

interface EventListProps {
  /** Reads all matching events, newest first. */
  readonly read: () => AsyncGenerator<AuditEvent, void>;
  /** The query of the link to the audit page. Without it, the list has no such link, as on the audit page itself. */
  readonly filter?: string;
  /** The column to leave out, because it would be the same in every row. */
  readonly without?: 'target' | 'who';
  /** Rows per page. */
  readonly size?: number;
  /** What to show instead of an empty list. */
  readonly empty?: ComponentChildren;
  /** The list reloads when this number changes. */
  readonly round?: number;
}

/** A list of audit events, newest first. A row expands to show all fields of its event. */
export function EventList({ read, filter, without, size = SHORT, empty, round = 0 }: EventListProps) {
  const names = useNames();
  const [rows, setRows] = useState<readonly AuditEvent[]>();
  const [isOver, setOver] = useState(false);
  const [problem, setProblem] = useState<unknown>(undefined);
  const source = useRef<AsyncGenerator<AuditEvent, void>>(undefined);
  /**
   * The generator that is being read. A second click must not read it too, because then each click would get only some
   * of the rows.
   */
  const reading = useRef<AsyncGenerator<AuditEvent, void>>(undefined);

  const more = async (
    before: readonly AuditEvent[],
    from: AsyncGenerator<AuditEvent, void>,
    wanted = size,
  ): Promise<void> => {
    if (reading.current === from) return;
    reading.current = from;
    const found: AuditEvent[] = [];
    let over = false;
    try {
      while (found.length < wanted && !over) {
        const { value, done } = await from.next();
        if (done === true) over = true;
        else if (value !== undefined) found.push(value);
      }
    } catch (error) {
      if (source.current !== from) return;
      noteRefusal(error);
      setProblem(error);
      return;
    }
    if (source.current !== from) return;
    reading.current = undefined;
    setProblem(undefined);
    setRows([...before, ...found]);
    setOver(over);
  };
  const begin = (wanted = size): void => {
    const from = read();
    source.current = from;
    void more([], from, wanted);
  };
  const isFirst = useRef(true);
  useEffect(() => begin(), [read]);
  // A further round reads as many rows as are shown.
  useEffect(() => {
    if (!isFirst.current) begin(Math.max(size, rows?.length ?? 0));
    isFirst.current = false;
  }, [round]);
  useEffect(() => {
    if (!isOutage(problem)) return;
    const again = (): void => begin();
    const timer = setTimeout(again, RETRY_MS);
    addEventListener('online', again);
    return () => {
      clearTimeout(timer);
      removeEventListener('online', again);
    };
  }, [problem, read]);

  const { columns } = AUDIT;
  return (
    <>
      {problem !== undefined && <Problem problem={problem} request="repeated-read" onRetry={() => begin()} />}
      {rows === undefined && problem === undefined && <Loading />}
      {rows !== undefined && rows.length === 0 && (empty ?? <p class="muted">{AUDIT.none}</p>)}
      {rows !== undefined && rows.length > 0 && (
        <table class="events">
          <caption class="unseen">{AUDIT.title}</caption>
          <thead>
            <tr>
              <th scope="col">{columns.ts}</th>
              <th scope="col">{columns.operation}</th>
              <th scope="col">{columns.result}</th>
              {without !== 'target' && <th scope="col">{columns.target}</th>}
              {without !== 'who' && <th scope="col">{columns.who}</th>}
              <th scope="col" class="request">
                {columns.request}
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map((event) => (
              <EventRow key={event.id} event={event} names={names} without={without} />
            ))}
          </tbody>
        </table>
      )}
      <p class="row">
        {rows !== undefined && !isOver && rows.length > 0 && (
          <button type="button" onClick={() => source.current !== undefined && void more(rows, source.current)}>
            {COMMON.more}
          </button>
        )}
        {filter !== undefined && rows !== undefined && rows.length > 0 && (
          <Link to={`${PATHS.audit}?${filter}`}>{AUDIT.all}</Link>
        )}
      </p>
    </>
  );
}

interface WhoProps {
  readonly event: AuditEvent;
  readonly names: ReadonlyMap<string, Named>;
}

interface EventRowProps extends WhoProps {
  readonly without: 'target' | 'who' | undefined;
}

function EventRow({ event, names, without }: EventRowProps) {
  const [open, setOpen] = useState(false);
  const { ts, operation, result, error_code, key_id, target_id, request_id } = event;
  const target = key_id ?? target_id;
  const { columns } = AUDIT;
  const isFailed = result === 'error';
  return (
    <>
      <tr>
        <td data-title={columns.ts}>
          <button type="button" class="sort" aria-expanded={open} onClick={() => setOpen(!open)}>
            <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
              {open ? <path d="m4 6 4 4 4-4" /> : <path d="m6 4 4 4-4 4" />}
            </svg>
            <ExactTime time={ts} />
          </button>
        </td>
        <td data-title={columns.operation}>
          <Code text={operation} />
        </td>
        <td data-title={columns.result}>
          <span class={`result ${result}`}>
            <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
              {isFailed ? <path d="m4 4 8 8m0-8-8 8" /> : <path d="m3 8.5 3.5 3.5L13 4.5" />}
            </svg>
            <Code text={error_code ?? result} />
          </span>
        </td>
        {without !== 'target' && (
          <td data-title={columns.target}>{target !== null && <NamedId id={target} names={names} />}</td>
        )}
        {without !== 'who' && (
          <td data-title={columns.who}>
            <Who event={event} names={names} />
          </td>
        )}
        <td class="request" data-title={columns.request}>
          {request_id !== null && <Id id={request_id} />}
        </td>
      </tr>
      {open && (
        <tr class="opened">
          <td colSpan={without === undefined ? 6 : 5}>
            <EventSeal event={event} />
            <EventChanges event={event} names={names} />
            <CodeBlock label={AUDIT.details} text={JSON.stringify(event, null, 2)} />
          </td>
        </tr>
      )}
    </>
  );
}

/** Shows an identifier of the API. The browser may break the line after each underscore. */
function Code({ text }: { readonly text: string }) {
  const [first, ...others] = text.split('_');
  return (
    <>
      {first}
      {others.map((word) => (
        <Fragment key={word}>
          _<wbr />
          {word}
        </Fragment>
      ))}
    </>
  );
}

interface NamedIdProps {
  readonly id: string;
  readonly names: ReadonlyMap<string, Named>;
}

/** Shows the name of the item with this id, as a link. If there is no such item any more, shows the id. */
function NamedId({ id, names }: NamedIdProps) {
  const named = names.get(id);
  return named === undefined ? (
    <Id id={id} />
  ) : (
    <Link to={named.to}>
      <Name text={named.name} />
    </Link>
  );
}

function Who({ event, names }: WhoProps) {
  const { api_key_id, user_id, workload } = event;
  const id = api_key_id ?? user_id;
  if (id === null) return <>{AUDIT.service}</>;
  const session = currentSession();
  const isOwn = session.state === 'signed-in' && session.me.user.id === id;
  if (isOwn) return <span title={id}>{AUDIT.you}</span>;
  return (
    <>
      <NamedId id={id} names={names} />
      {workload != null && (
        <span class="small muted name" title={workload.issuer}>
          <br />
          <Name text={workload.subject ?? workload.issuer} />
        </span>
      )}
    </>
  );
}
