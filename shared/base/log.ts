/** The severities of Cloud Logging that the service uses. */
export type Severity = 'INFO' | 'WARNING' | 'ERROR';

/** What may stand in a log line: identifiers, codes and figures. Never a secret, a token, key material or a payload. */
export type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** Writes structured log lines. */
export interface Log {
  write(severity: Severity, message: string, fields?: LogFields, error?: unknown): void;
}

/** One JSON object a line on standard output, as Cloud Logging reads it. */
export function makeLog(write: (line: string) => void = (line) => process.stdout.write(line)): Log {
  return {
    write(severity, message, fields, error) {
      write(`${JSON.stringify({ severity, message, ...fields, ...describe(error) })}\n`);
    },
  };
}

/** The chain of causes by class, code and stack frames. Messages of foreign errors can quote what they were given, so they stay out. */
function describe(error: unknown): LogFields {
  if (!(error instanceof Error)) return {};
  const chain: string[] = [];
  for (let cause: unknown = error; cause instanceof Error && chain.length < 5; cause = cause.cause) {
    const code = 'code' in cause ? ` ${String(cause.code)}` : '';
    chain.push(`${cause.name}${code}${frames(cause)}`);
  }
  return { error: chain.join(' <- ') };
}

/** The stack begins with the message, which may span lines that look like frames. */
function frames(error: Error): string {
  const { message, stack = '' } = error;
  const end = stack.indexOf(message) + message.length;
  const lines = (stack.includes(message) ? stack.slice(end) : stack).split('\n');
  return lines
    .filter((line) => line.startsWith('    at '))
    .slice(0, 8)
    .join('');
}
