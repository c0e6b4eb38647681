import { EVENTS, type EventName, type Severity } from '../events.ts';

/** Fields of a log line: identifiers, codes and figures. Never a secret, token, key material or payload. */
export type LogFields = Readonly<Record<string, LogValue | readonly LogValue[] | readonly object[]>>;

type LogValue = string | number | boolean | null | undefined;

export interface Log {
  write(event: EventName, fields?: LogFields, error?: unknown): void;
}

/** Writes one JSON object per line to standard output, in Cloud Logging's format. */
export function makeLog(write: (line: string, severity: Severity) => void = writeByTurns()): Log {
  return {
    write(event, fields, error) {
      const severity = EVENTS[event];
      write(`${JSON.stringify({ severity, message: event, ...fields, ...describe(error) })}\n`, severity);
    },
  };
}

/** Returns a writer that joins the lines of an event loop turn. It writes errors at once: the process may end. */
function writeByTurns(): (line: string, severity: Severity) => void {
  let lines = '';
  const flush = () => {
    if (lines !== '') process.stdout.write(lines);
    lines = '';
  };
  process.on('exit', flush);
  return (line, severity) => {
    if (lines === '') setImmediate(flush);
    lines += line;
    if (severity === 'ERROR') flush();
  };
}

/** Returns an error's log fields, without the messages of its causes: a library's message may quote secret input. */
function describe(error: unknown): LogFields {
  if (!(error instanceof Error)) return {};
  const chain: string[] = [];
  for (let cause: unknown = error; cause instanceof Error && chain.length < 5; cause = cause.cause) {
    const code = 'code' in cause ? ` ${String(cause.code)}` : '';
    chain.push(`${cause.name}${code}${frames(cause)}`);
  }
  return { error: chain.join(' <- ') };
}

/** Returns the stack without the message at its start, because the message's lines could look like frames. */
function frames(error: Error): string {
  const { message, stack = '' } = error;
  const end = stack.indexOf(message) + message.length;
  const lines = (stack.includes(message) ? stack.slice(end) : stack).split('\n');
  return lines
    .filter((line) => line.startsWith('    at '))
    .slice(0, 8)
    .join('');
}
