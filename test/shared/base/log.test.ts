import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { makeLog } from '../../../shared/base/log.ts';
import { ApiError } from '../../../shared/errors.ts';
import type { EventName } from '../../../shared/events.ts';

const parsed = z.record(z.string(), z.unknown());

function write(event: EventName, fields?: Record<string, string | number>, error?: unknown) {
  const lines: string[] = [];
  makeLog((line) => lines.push(line)).write(event, fields, error);
  expect(lines).toHaveLength(1);
  return lines.join('');
}

test('a log entry is one JSON object with the severity, name and fields of its event', () => {
  const line = write('request answered', { request_id: 'r-1', status: 200 });
  expect(parsed.parse(JSON.parse(line))).toEqual({
    severity: 'INFO',
    message: 'request answered',
    request_id: 'r-1',
    status: 200,
  });
});

test('a log entry is one line, whatever its fields contain', () => {
  const line = write('request failed', { request_id: 'a\r\nb' }, new Error('c\nd'));
  expect(line.endsWith('\n')).toBe(true);
  expect(line.slice(0, -1)).not.toMatch(/[\r\n]/);
});

test.each([
  ['a message of one line', 'SECRET'],
  ['a message of two lines', 'could not read\nSECRET'],
  ['a message that looks like a stack frame', 'could not read\n    at SECRET'],
])('a log entry never contains the message of an error that is not an ApiError: %s', (_, message) => {
  const cause = new TypeError(message, { cause: new Error(message) });
  expect(write('request failed', {}, cause)).not.toContain('SECRET');
  const wrapped = new ApiError('internal_error', 'internal error', { cause });
  expect(write('request failed', {}, wrapped)).not.toContain('SECRET');
});

test('a log entry never contains the additional properties of an error that is not an ApiError', () => {
  const error = Object.assign(new Error('failed'), { details: 'SECRET', request: { plaintext: 'SECRET' } });
  expect(write('request failed', {}, error)).not.toContain('SECRET');
});

test.each(['SECRET', { message: 'SECRET' }, null, undefined, 7])(
  'a thrown value that is not an error is not logged: %j',
  (thrown) => {
    expect(parsed.parse(JSON.parse(write('request failed', {}, thrown)))).toEqual({
      severity: 'ERROR',
      message: 'request failed',
    });
  },
);

test('a log entry shows the chain of causes by class, code and stack', () => {
  const cause = Object.assign(new TypeError('failed'), { code: 'ECONNRESET' });
  const line = write('request failed', {}, new ApiError('unavailable', 'no answer', { cause }));
  const { error } = parsed.parse(JSON.parse(line));
  expect(error).toMatch(/^ApiError unavailable .* <- TypeError ECONNRESET /);
  expect(error).toContain('log.test.ts');
});

test('a log entry for an error with a circular chain of causes is finite', () => {
  const error = new Error('failed');
  error.cause = error;
  expect(write('request failed', {}, error)).toContain('Error');
});

describe('standard output', () => {
  const run = promisify(execFile);
  const log = fileURLToPath(new URL('../../../shared/base/log.ts', import.meta.url));

  test.each([
    ['when the process ends by itself', ''],
    ['when the process exits at once', 'process.exit();'],
    ['when the process exits without exit handlers', "process.removeAllListeners('exit'); process.exit();"],
  ])('standard output contains all log lines in order %s', async (_, then) => {
    const program = `
      const { makeLog } = await import(${JSON.stringify(log)});
      const log = makeLog();
      log.write('request answered');
      log.write('readiness check failed');
      log.write('request failed');
      ${then}`;
    const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', program]);
    const messages = stdout
      .trim()
      .split('\n')
      .map((text) => parsed.parse(JSON.parse(text)).message);
    expect(messages).toEqual(['request answered', 'readiness check failed', 'request failed']);
  });
});
