import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { planDeployment } from '../../deploy/plan.ts';
import { renderScript } from '../../deploy/script.ts';
import type { Command, Step } from '../../deploy/step.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { EXAMPLE } from './example.ts';

/**
 * Stands in for gcloud, npx and node: writes down what it is called with, and finds what an earlier call has created. It
 * starts no other program, as it is called hundreds of times.
 */
const STAND_IN = `#!/bin/bash
line="\${0##*/} $*"
[[ " $* " == *" --data-file=- "* ]] && cat >> "$STATE/piped"
. "$STATE/finds"
if [ -n "$made" ]; then
  [[ $'\\n'"$(< "$STATE/calls")"$'\\n' == *$'\\n'"$made"$'\\n'* ]] && echo there
  exit
fi
[ "$line" = "\${FAIL:-}" ] && { echo 'PERMISSION_DENIED' >&2; exit 1; }
echo "$line" >> "$STATE/calls"
`;

const steps = planDeployment(EXAMPLE);
const SECRETS = { STRIPE_SECRET_KEY: 'sk_test_one', STRIPE_WEBHOOK_SECRET: 'whsec_two' };
let state: string;

/** A command as the stand-in sees it: what `find` prints is always "there". */
function seen(command: Command): string {
  return command.map((word) => word.replaceAll(/\$[A-Z_]+/g, 'there')).join(' ');
}

beforeEach(() => {
  state = temporaryFolder('deploy');
  for (const program of ['gcloud', 'npx', 'node']) {
    writeFileSync(join(state, program), STAND_IN);
    chmodSync(join(state, program), 0o755);
  }
  const finds = steps.flatMap(({ find, create }) => (find ? [`'${seen(find)}') made='${seen(create)}' ;;`] : []));
  writeFileSync(join(state, 'finds'), ['case "$line" in', ...finds, 'esac'].join('\n'));
  writeFileSync(join(state, 'calls'), '');
});

function deploy(variables: Record<string, string> = SECRETS, script = renderScript(EXAMPLE, steps)) {
  const before = calls().length;
  const env = { PATH: `${state}:${process.env.PATH}`, STATE: state, ...variables };
  const { status, stderr } = spawnSync('bash', ['-c', script], { env, encoding: 'utf8' });
  return { status, stderr, made: calls().slice(before) };
}

function calls(): string[] {
  return readFileSync(join(state, 'calls'), 'utf8').split('\n').slice(0, -1);
}

describe('the script of a deployment', () => {
  test('creates everything where there is nothing, in the order of the plan', () => {
    const { status, made } = deploy();
    expect(status).toBe(0);
    expect(made).toEqual(steps.map(({ create }) => seen(create)));
  });

  test('run again, creates nothing: it updates what can be updated, and leaves the rest', () => {
    deploy();
    const again = ({ find, create, update }: Step) => (find === undefined ? [create] : update ? [update] : []);
    const { status, made } = deploy({});
    expect(status).toBe(0);
    expect(made).toEqual(steps.flatMap(again).map(seen));
    // Google records a binding as a change, also of a role that is bound already: `root-changed` would be raised.
    expect(made.filter((line) => line.includes('add-iam-policy-binding'))).toEqual([]);
  });

  test('deploys the decision point by the digest of the image that was built, not by a tag that can be moved', () => {
    const decides = steps.filter(({ create }) => create.join().includes('decision-point'));
    const { made } = deploy({}, renderScript(EXAMPLE, decides));
    const images = made.flatMap((line) => /--image=\S*\/decision-point(\S*)/.exec(line)?.[1] ?? []);
    expect(images.length).toBeGreaterThan(0);
    // The stand-in prints "there" for the digest.
    expect(images.filter((image) => image !== '@there')).toEqual([]);
  });

  test('stops at a command that fails, names the step, and goes on from there when run again', () => {
    const at = steps.findIndex(({ what }) => what === 'wrapped root');
    const failing = steps[at];
    const { status, stderr, made } = deploy({ ...SECRETS, FAIL: seen(failing?.create ?? []) });
    expect(status).not.toBe(0);
    expect(stderr).toContain('PERMISSION_DENIED');
    expect(stderr).toContain('deploy: failed at step: wrapped root.');
    expect(made).toEqual(steps.slice(0, at).map(({ create }) => seen(create)));
    expect(deploy().made).toContain(seen(failing?.create ?? []));
  });

  test('pipes the secrets in, and shows them nowhere', () => {
    const ofSecrets = steps.filter(({ what }) => what.includes('secret'));
    const { made } = deploy(SECRETS, renderScript(EXAMPLE, ofSecrets));
    expect(readFileSync(join(state, 'piped'), 'utf8')).toBe('sk_test_onewhsec_two');
    expect(`${renderScript(EXAMPLE, steps)}${made.join()}`).not.toMatch(/sk_test_one|whsec_two/);
  });

  test('stops before it makes a version of a secret that it is not given', () => {
    const { status, stderr } = deploy({});
    expect(status).not.toBe(0);
    expect(stderr).toContain('STRIPE_SECRET_KEY: is not set');
    expect(existsSync(join(state, 'piped'))).toBe(false);
  });

  test('gives every word to the command as it is', () => {
    const words = ['a b', 'c"d', 'e`f', 'g\\h', '$lower', '* * 1', "i'j", '$(k)'];
    const script = renderScript(EXAMPLE, [{ what: 'words', create: ['printf', '%s\n', ...words] }]);
    const { stdout } = spawnSync('bash', ['-c', script], { encoding: 'utf8' });
    expect(stdout.split('\n')).toEqual(['== words', ...words, '']);
  });
});
