import { expect, test } from 'vitest';
import { parseFlags, UsageError } from '../../emulators/stack/flags.ts';
import { portsFrom } from '../../emulators/stack/ports.ts';

test.each([
  [[], {}],
  [['--port', '9080'], { port: 9080 }],
  [['--deployed'], { deployed: true }],
  [['--fresh'], { fresh: true }],
  [['--ephemeral'], { dir: undefined }],
  [['--no-billing'], { billing: false }],
  [['--no-console'], { console: false, billing: false }],
  [['--no-transit'], { transit: false }],
  [['--no-schedules'], { schedules: false }],
  [['--closed'], { closed: true }],
  [['--demo'], { demoMonth: true }],
  [['--no-wrapped-root'], { wrappedRoot: false }],
  [['--short-deadlines'], { shortDeadlines: true }],
])('with the flags %j, these options differ from the defaults: %o', (args, changes) => {
  expect(parseFlags(args, '.local')).toEqual({
    port: 8080,
    deployed: false,
    dir: '.local',
    fresh: false,
    demoMonth: false,
    console: true,
    billing: true,
    wrappedRoot: true,
    transit: true,
    schedules: true,
    shortDeadlines: false,
    closed: false,
    ...changes,
  });
});

test('the flag --help starts no stack', () => {
  expect(parseFlags(['--help'], '.local')).toBeUndefined();
});

test.each([
  ['--nope'],
  ['stray'],
  ['--port'],
  ['--port='],
  ['--port', 'x'],
  ['--port', '80'],
  ['--port', '65517'],
  ['--port', '8080.5'],
  ['--fresh', '--ephemeral'],
  ['--demo', '--no-console'],
  ['--demo', '--closed'],
])('the flags %s %s are refused with a one-line error', (...args) => {
  expect(() => parseFlags(args, '.local')).toThrow(UsageError);
  expect(() => parseFlags(args, '.local')).toThrow(/^.+$/);
});

test('every port of a stack has a fixed distance from the port of the service', () => {
  expect(portsFrom(8080)).toEqual({
    service: 8080,
    firestore: 8085,
    workloads: 8084,
    kms: 8086,
    identity: 8087,
    stripe: 8088,
    control: 8089,
    console: 5173,
    functions: 8090,
    policy: 3592,
    policyGrpc: 3593,
  });
  expect(portsFrom(9080)).toMatchObject({ service: 9080, control: 9089, policy: 4592 });
});
