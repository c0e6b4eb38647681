import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { errorLine, explain } from '../../src/cli/explain.ts';
import { makeProgram } from '../../src/cli/program.ts';
import { ESK, esk } from '../support/esk.ts';
import { expectFailure } from '../support/esk-failure.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder();
const env = { ESK_URL: 'http://127.0.0.1:1', ESK_API_KEY: 'esk_x' };

describe('wrong usage', () => {
  test.each([
    [[], /no command given/],
    [['keys'], /no command given/],
    [['keys', 'rotat'], /unknown command 'rotat'.+rotate/],
    [['keys', 'get'], /missing required argument 'key'/],
    [['keys', 'get', 'one', 'two'], /too many arguments/],
    [['keys', 'create', 'orders'], /required option '--tier <tier>'/],
    [['encrypt', 'file'], /required option '--key <key>'/],
    [['encrypt', '--key', 'orders', '--contxt', 'x'], /unknown option '--contxt'.+--context/],
    [['rewrap'], /missing required argument 'file'/],
    [['rewrap', 'file', '-'], /cannot rewrap standard input/],
    [['usage', '--json', '--csv'], /cannot be used with/],
    [['audit', '--operation', 'read'], /'read' is invalid/],
    [['audit', '--since', 'yesterday'], /'yesterday' is invalid/],
    [['audit', '--limit', '0'], /'0' is invalid/],
    [['keys', 'destroy', 'orders'], /permanently destroys data; pass --yes/],
    [['members', 'invite'], /required option '--role <role>'/],
    [['members', 'invite', '--role', 'boss'], /'boss' is invalid.+owner, admin, auditor/],
    [['members', 'set-role', 'ada@example.com', 'boss'], /'boss' is invalid/],
    [['members', 'remove', 'ada@example.com'], /ends the access of a person; pass --yes/],
    [['join'], /missing required argument 'file'/],
    [['join', 'missing'], /changes your tenant; pass --yes/],
    [['completion', 'tcsh'], /'tcsh' is invalid/],
    [['help', 'key'], /unknown command 'key'; see esk help\n/],
    [['help', 'keys', 'creat'], /unknown command 'keys creat'; see esk help keys\n/],
    [['help', 'keys', 'create', 'orders'], /unknown command 'keys create orders'; see esk help keys create\n/],
  ])('esk %j exits with 2 and explains the error in one line, without a request', async (args, message) => {
    const ended = await esk(args, { env });
    expectFailure(ended, 2, /^esk: usage: /);
    expect(ended.stderr).toMatch(message);
    expect(ended.stderr).not.toMatch(/\(request /);
  });

  test.each([
    ['an API key without the address of the service', { ESK_API_KEY: 'esk_x' }, /ESK_URL is not set/],
    ['an invalid address', { ...env, ESK_URL: 'api.example.com' }, /api\.example\.com: url is not a valid URL/],
    [
      'an address with a password (not repeated in the message)',
      { ...env, ESK_URL: 'http://me:secret@127.0.0.1:1' },
      /^esk: usage: http:\/\/127\.0\.0\.1:1: url must not contain a user name/,
    ],
    ['an unencrypted address', { ...env, ESK_URL: 'http://192.0.2.1' }, /https/],
  ])('given %s, esk exits with 2 and explains the error in one line', async (_, environment, message) => {
    const ended = await esk(['keys', 'list'], { env: environment });
    expectFailure(ended, 2, /^esk: usage: [^()]+\n$/);
    expect(ended.stderr).toMatch(message);
  });
});

test.each([
  [['--token=SECRET'], "unknown option '--token'"],
  [['keys', 'list', "--token=a'SECRET\nb"], "unknown option '--token'"],
  [['keys', 'list', '-tSECRET'], "unknown option '-t'"],
  [['keys', 'list', '--json=SECRET'], "unknown option '--json'"],
  [['encrypt', '--key', 'k', '--contxt=SECRET'], "unknown option '--contxt'"],
  [['encrypt', '--key', 'k', '--contxt'], "unknown option '--contxt' (Did you mean --context?)"],
])('the error about an unknown option does not repeat the option’s value: esk %j', async (args, message) => {
  const refused = await makeProgram()
    .parseAsync(args, { from: 'user' })
    .catch((error: unknown) => error);
  expect(errorLine(explain(refused))).toBe(`esk: usage: ${message}`);
});

test('an empty environment variable counts as unset', async () => {
  const ended = await esk(['keys', 'list'], { env: { ESK_URL: '', ESK_API_KEY: '', XDG_CONFIG_HOME: '' } });
  expectFailure(ended, 4, /^esk: unauthorized: no credential found; /);
});

test('a token that is not a valid header value is refused, and the error does not repeat the token', async () => {
  const ended = await esk(['keys', 'list'], { env: { ...env, ESK_API_KEY: 'esk_x\ny' } });
  expectFailure(ended, 4, /^esk: unauthorized: ESK_API_KEY is not a valid token\n$/);
});

test('without a URL, esk doctor says how to check the service', async () => {
  expectFailure(await esk(['doctor']), 4, /^esk: unauthorized: no credential found; .+; to check .+, set ESK_URL\n$/);
});

test('an invalid profile is an error, and esk logout removes it', async () => {
  await mkdir(join(folder.path, 'esk'));
  await writeFile(join(folder.path, 'esk', 'profile.json'), '{"url":1}');
  const own = { env: { XDG_CONFIG_HOME: folder.path } };
  expectFailure(await esk(['keys', 'list'], own), 1, /^esk: invalid_profile: [^()]+\n$/);
  // If the environment has all settings, the profile is not read.
  const remote = { ...own.env, ...env, ESK_URL: 'http://192.0.2.1' };
  expectFailure(await esk(['keys', 'list'], { env: remote }), 2, /^esk: usage: http:\/\/192\.0\.2\.1: /);
  expect(await esk(['logout'], own)).toMatchObject({ code: 0 });
  expectFailure(await esk(['keys', 'list'], own), 4, /^esk: unauthorized: /);
});

test.each(['esk.js', 'age-plugin-esk.js'])(
  'the first line of %s passes no options to env, because Alpine’s env does not support options',
  async (name) => {
    const program = await readFile(join(dirname(ESK), name), 'utf8');
    expect(program.split('\n')[0]).toBe('#!/usr/bin/env node');
  },
);

test('help and version are printed to standard output', async () => {
  for (const args of [['--help'], ['help'], ['help', 'keys'], ['keys', 'rotate', '--help']]) {
    const { code, stdout, stderr } = await esk(args);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout.toString()).toMatch(/^Usage: esk.*\n(?:.*\n)*Examples:\n {2}# /);
  }
  expect((await esk(['--version'])).stdout.toString()).toMatch(/^\d+\.\d+\.\d+\n$/);
});

test.each([[[]], [['keys']], [['keys', 'create']], [['audit', 'verify']]])(
  'esk help %j prints the same as the option --help of this command',
  async (path) => {
    const { stdout } = await esk(['help', ...path]);
    expect(stdout.toString()).toBe((await esk([...path, '--help'])).stdout.toString());
  },
);

test('every command has a description, and no option accepts a secret', () => {
  const all = (command: Command): Command[] => [command, ...command.commands.flatMap(all)];
  const commands = all(makeProgram());
  expect(commands.length).toBeGreaterThan(30);
  for (const command of commands) {
    expect(command.description(), command.name()).not.toBe('');
    for (const { flags } of command.options.filter((one) => one.required || one.optional))
      expect(flags).not.toMatch(/token|secret|password|credential/);
  }
});
