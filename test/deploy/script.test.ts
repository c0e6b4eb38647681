import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { secretsOf } from '../../deploy/environment.ts';
import { FUNCTION_NAMES } from '../../deploy/functions.ts';
import { planDeployment, type Run } from '../../deploy/plan.ts';
import { SCHEDULES } from '../../deploy/schedules.ts';
import { renderScript } from '../../deploy/script.ts';
import type { Change, Check, Command, Reading, Step, Update } from '../../deploy/step.ts';
import { ROOT } from '../sources.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { DOMAIN, EXAMPLE, runDeploy, WITHOUT_CONSOLE } from './recorded.ts';

/**
 * Bash functions that replace gcloud, npx, node and npm. They record each call, find the resources that earlier calls
 * created, and answer each read with the expected value. They start no program, because tests call them thousands of
 * times. `$FINDS` is replaced by the known commands.
 */
const STAND_IN = `
stand_in() (
  set +eu
  unset made unless read
  line="$*"
  [[ " $line " == *" --data-file=- "* ]] && cat >> "$STATE/piped"
  # With CLOSED_MEANWHILE, a test closes or opens the service while functions are being deployed.
  [[ "$(< "$STATE/calls")" == *"run deploy"* ]] && CLOSED_NOW="\${CLOSED_MEANWHILE-$CLOSED_NOW}"
  $FINDS
  [ "$line" = "\${FAIL:-}" ] && { echo 'PERMISSION_DENIED' >&2; exit 1; }
  [ -n "$made" ] && [ -n "\${FAIL_FINDS:-}" ] && { echo 'UNAVAILABLE' >&2; exit 1; }
  has() { [[ $'\\n'"$(< "$STATE/calls")"$'\\n' == *$'\\n'"$1"$'\\n'* ]]; }
  # A gateway that was created closed is there, too.
  called() { has "$1" || has "\${1//false/true}"; }
  if [ -n "$made" ]; then
    called "$made" && ! called "$unless" && echo there
    exit 0
  fi
  [ -n "\${read+x}" ] && { [ "$line" = "\${OFF:-}" ] || echo "$read"; exit; }
  echo "$line" >> "$STATE/calls"
)
gcloud() { stand_in gcloud "$@" || return; }
npx() { stand_in npx "$@" || return; }
node() { stand_in node "$@" || return; }
npm() { stand_in npm "$@" || return; }
`;

const steps = planDeployment(EXAMPLE);
const allSteps = [...steps, ...planDeployment(EXAMPLE, 'close'), ...planDeployment(EXAMPLE, 'deploy and open')];
const changes = steps.filter((step) => 'create' in step).filter(({ onlyIf }) => onlyIf === undefined);
const SECRETS = { STRIPE_SECRET_KEY: 'sk_test_one', STRIPE_WEBHOOK_SECRET: 'whsec_two' };
const SMOKE_TEST = 'npm run --silent smoke -- https://there --keep';
let state: string;

/** Returns a command as the stand-in receives it, with `closed` as `$CLOSED` and "there" as other shell variables. */
function commandLine(command: Command, closed = false): string {
  return command
    .map((word) => word.replaceAll(/\$CLOSED(_BEFORE)?/g, String(closed)).replaceAll(/\$[A-Z_]+/g, 'there'))
    .join(' ');
}

/** Returns the command with which the step with this name reads a value. */
function readCommand(name: string): string {
  const [step] = steps.filter(({ what }) => what === name);
  if (step === undefined || !('read' in step)) throw new Error(`nothing reads ${name}`);
  return commandLine(step.read);
}

/** Returns the stand-in's answer to a step that reads a value, in bash. */
function answerOf(step: Reading | Check): string {
  if (!('keep' in step)) return step.expects;
  if (step.keep.startsWith('PREVIOUS_')) return '"$PREVIOUS"';
  if (step.keep === 'SOURCE_HASH') return 'there';
  return step.keep === 'SMOKE_API_KEY' ? 'token-of-canary' : '"$CLOSED_NOW"';
}

/** Makes the stand-in report a schedule as enabled after its creation until `pause`, and as paused until `resume`. */
function scheduleState({ find, update }: Update): string {
  const [paused, resumed] = ['pause', 'resume'].map((verb) => commandLine(update.with(3, verb)));
  if (commandLine(find).includes('state=PAUSED')) return `made='${paused}' unless='${resumed}'`;
  const created = changes.find(({ create }) => commandLine(create).includes(`jobs create http ${update[4]} `));
  return `made='${commandLine(created?.create ?? [])}' unless='${paused}'`;
}

beforeEach(() => {
  state = temporaryFolder('deploy');
  const cases = allSteps.flatMap((step) => {
    if ('create' in step)
      return step.find ? [`'${commandLine(step.find)}') made='${commandLine(step.create)}' ;;`] : [];
    if ('update' in step) return [`'${commandLine(step.find)}') ${scheduleState(step)} ;;`];
    if ('test' in step) return [];
    return [`'${commandLine(step.read)}') read=${answerOf(step)} ;;`];
  });
  const programs = STAND_IN.split('$FINDS').join(['case "$line" in', ...cases, 'esac'].join('\n'));
  writeFileSync(join(state, 'programs'), programs);
  writeFileSync(join(state, 'calls'), '');
});

function attempt(variables: Record<string, string> = SECRETS, what: readonly Step[] | string = steps) {
  const before = calls().length;
  // Bash reads the file in `BASH_ENV` first.
  const own = { PATH: process.env.PATH, BASH_ENV: join(state, 'programs'), STATE: state };
  const env = { ...own, CLOSED_NOW: '', PREVIOUS: '', ...variables };
  // A file, because an argument can have at most 128 KiB.
  writeFileSync(join(state, 'script'), typeof what === 'string' ? what : renderScript(EXAMPLE, what));
  const { status, stderr } = spawnSync('bash', [join(state, 'script')], { env, encoding: 'utf8' });
  const made = calls().slice(before);
  return { status, stderr, made: made.filter((line) => line !== SMOKE_TEST), all: made };
}
function deploy(...of: Parameters<typeof attempt>) {
  const done = attempt(...of);
  expect(done.status).toBe(0);
  return done;
}
function failToDeploy(...of: Parameters<typeof attempt>) {
  const done = attempt(...of);
  expect(done.status).not.toBe(0);
  return done;
}

function calls(): string[] {
  return readFileSync(join(state, 'calls'), 'utf8').split('\n').slice(0, -1);
}

test('a first run creates everything, in the order of the plan; a second run recreates nothing that exists, and updates what can be updated', () => {
  expect(deploy().all).toEqual([...changes.map(({ create }) => commandLine(create)), SMOKE_TEST]);
  const again = ({ find, create, update }: Change) => (find === undefined ? [create] : update ? [update] : []);
  const { made } = deploy({ STRIPE_SECRET_KEY: 'sk_other', STRIPE_WEBHOOK_SECRET: 'whsec_other' });
  expect(made).toEqual(changes.flatMap(again).map((command) => commandLine(command)));
  // Google logs even a repeated binding as a change, which would raise the alert `root-changed`.
  expect(made.filter((line) => line.includes('add-iam-policy-binding'))).toEqual([]);
  // A secret that exists gets no new version.
  expect(readFileSync(join(state, 'piped'), 'utf8')).toBe('sk_test_onewhsec_two');
  // No command line contains a secret. The smoke test gets its API key as an environment variable.
  expect(calls().join()).not.toMatch(/sk_|whsec_|token-of-canary/);
  expect(renderScript(EXAMPLE, steps)).toContain('SMOKE_API_KEY="$SMOKE_API_KEY" npm run');
});

test('the decision point is deployed by the digest of the built image, not by a tag that can move', () => {
  const decides = steps.filter((step) =>
    'create' in step ? step.create.join().includes('decision-point') : 'keep' in step && step.keep === 'SOURCE_HASH',
  );
  const { made } = deploy({}, decides);
  const images = made.flatMap((line) => /--image=\S*\/decision-point(\S*)/.exec(line)?.[1] ?? []);
  expect(images.length).toBeGreaterThan(0);
  // The stand-in prints "there" for the digest.
  expect(images.filter((image) => image !== '@there')).toEqual([]);
});

test('a failed command stops the deployment with the name of the step, and the next run continues with that step', () => {
  const at = changes.findIndex(({ what }) => what === 'wrapped root');
  const failing = commandLine(changes[at]?.create ?? []);
  const { stderr, made } = failToDeploy({ ...SECRETS, FAIL: failing });
  expect(stderr).toContain('PERMISSION_DENIED');
  expect(stderr).toContain('deploy: failed at step: wrapped root. Fix the error above, then run npm run deploy again.');
  expect(made).toEqual(changes.slice(0, at).map(({ create }) => commandLine(create)));
  expect(deploy().made).toContain(failing);
});

/** Runs a step with a gcloud that fails with this error as often as `times` says. */
function runWithErrors(error: string, times: number) {
  const grant: Change = { what: 'grant', create: ['gcloud', 'grant'], patient: true };
  const program = `#!/bin/bash
echo x >> "$STATE/tries"
[ "$(wc -l < "$STATE/tries")" -gt ${times} ] && { echo created; exit 0; }
echo "${error}" >&2; exit 1
`;
  writeFileSync(join(state, 'gcloud'), program, { mode: 0o755 });
  writeFileSync(join(state, 'tries'), '');
  const env = { PATH: `${state}:${process.env.PATH}`, STATE: state, PAUSE_SECONDS: '0' };
  const { status, stdout } = spawnSync('bash', ['-c', renderScript(EXAMPLE, [grant])], { env, encoding: 'utf8' });
  const tries = readFileSync(join(state, 'tries'), 'utf8').length / 2;
  return { status, stdout, tries };
}

test('a grant to an account that Google does not know yet is tried at most 20 times; any other error stops at once', () => {
  const found = runWithErrors('INVALID_ARGUMENT: Service account x does not exist.', 3);
  expect(found).toEqual({ status: 0, stdout: '== grant\ncreated\n', tries: 4 });
  expect(runWithErrors('Service account x does not exist.', 99)).toMatchObject({ status: 1, tries: 20 });
  expect(runWithErrors('PERMISSION_DENIED', 99)).toMatchObject({ status: 1, tries: 1 });
});

test('the script waits for accounts in grants, for metrics in alerts, and for the first API', () => {
  const patient = steps.filter((step) => 'patient' in step && step.patient).map(({ what }) => what);
  expect(patient).toEqual(
    steps.map(({ what }) => what).filter((what) => /^whether the service|^[\w-]+: \S|^alert /.test(what)),
  );
});

test('a step whose look-up fails stops the deployment, and creates and changes nothing', () => {
  const looking = allSteps.filter((step) => 'find' in step && step.find !== undefined);
  // Each step runs in a subshell. In the background, because `set -e` has no effect inside a condition.
  const scripts = looking.map((step) => `(\n${renderScript(EXAMPLE, [step])}) & wait $! || true`);
  const { stderr, made } = deploy({ ...SECRETS, CLOSED: 'true', FAIL_FINDS: 'yes' }, scripts.join('\n'));
  expect(looking.length).toBeGreaterThan(100);
  expect(stderr.split('failed at step: ')).toHaveLength(looking.length + 1);
  expect(made).toEqual([]);
});

test('a deployment stops if a secret’s environment variable is not set, stores no value for the secret, and says how to continue', () => {
  const again = "npm run deploy -- --deployment 'it'\\''s $HOME.json'";
  const { stderr } = failToDeploy({}, renderScript(EXAMPLE, steps, again));
  expect(stderr).toContain(`STRIPE_SECRET_KEY: is not set; export it and run ${again} again\n`);
  expect(existsSync(join(state, 'piped'))).toBe(false);
});

test('every argument reaches its command unchanged, even with spaces, quotes or dollar signs', () => {
  const words = ['a b', 'c"d', 'e`f', 'g\\h', '$lower', '* * 1', "i'j", '$(k)'];
  const script = renderScript(EXAMPLE, [{ what: 'words', create: ['printf', '%s\n', ...words] }]);
  const { stdout } = spawnSync('bash', ['-c', script], { encoding: 'utf8' });
  expect(stdout.split('\n')).toEqual(['== words', ...words, '']);
});

/** Runs a script as a deployment does, in its own process. `typed` is what a person types. */
function runIn(folder: string, script: string, typed = '', path = process.env.PATH) {
  const file = JSON.stringify(join(ROOT, 'deploy/script.ts'));
  const program = `import { runScript } from ${file}; process.exitCode = runScript(${JSON.stringify(script)} + ' '.repeat(200_000))`;
  const env = { PATH: path, TMPDIR: folder };
  return spawnSync(process.execPath, ['--input-type=module', '-e', program], { env, encoding: 'utf8', input: typed });
}

test('a script of any length runs, reads from the terminal, and is in no file that a signal could leave', () => {
  const script = 'read -r line; echo "typed $line"; ls -A "$TMPDIR"; exit 7;';
  expect(runIn(temporaryFolder('script'), script, 'yes\n')).toMatchObject({ status: 7, stdout: 'typed yes\n' });
});

test('a script that bash cannot run or end fails with the reason', () => {
  expect(runIn(temporaryFolder('script'), 'true', '', '/nowhere').stderr).toContain('bash ENOENT');
  expect(runIn(temporaryFolder('script'), 'kill -KILL $$').stderr).toContain('the script was ended by SIGKILL');
});

/** The result of a run on an existing deployment. */
function run(kind: Run, variables: Record<string, string> = {}, go = deploy) {
  deploy();
  return go(variables, planDeployment(EXAMPLE, kind));
}

const OPENS_SERVICE = /--api-config=closed-false|--(update-)?labels=closed=false|CLOSED=false|jobs resume/;

test('a closed service stays closed when it is deployed, its functions are told only once, and it is not tested', () => {
  const { made, all } = run('deploy', { CLOSED_NOW: 'true' });
  expect(all).not.toContain(SMOKE_TEST);
  expect(made.filter((line) => line.includes('run services update encryption-'))).toEqual([]);
  expect(made.filter((line) => OPENS_SERVICE.test(line))).toEqual([]);
  expect(made).toContainEqual(
    expect.stringMatching(/gateways update .*closed-true-\w+ .*--update-labels=closed=true$/),
  );
  expect(made.filter((line) => /run deploy .*CLOSED=true/.test(line))).toHaveLength(2);
  expect(made.filter((line) => line.includes('jobs pause'))).toHaveLength(Object.keys(SCHEDULES).length);
});

test('a service is not deployed if the script cannot read whether the service is closed', () => {
  const unreadable = readCommand('whether the service is closed');
  const { stderr, made } = run('deploy', { CLOSED_NOW: 'true', FAIL: unreadable }, failToDeploy);
  expect(stderr).toContain('deploy: failed at step: whether the service is closed.');
  expect(made).toEqual([expect.stringMatching(/^gcloud services enable /)]);
});

test('--closed closes the service, and neither changes the database nor builds anything', () => {
  const { made } = run('close');
  expect(made.filter((line) => /firestore|run deploy|npx|node /.test(line))).toEqual([]);
  expect(made.filter((line) => OPENS_SERVICE.test(line))).toEqual([]);
  const order = ['jobs pause', 'encryption-router', 'gateways update', 'encryption-seal-audit'];
  expect([...new Set(made.map((line) => order.find((part) => line.includes(part))))]).toEqual(order);
});

test('--closed closes the service even if a schedule is missing or already paused', () => {
  const [missing, paused, ...enabled] = Object.keys(SCHEDULES);
  const without = steps.filter(({ what }) => what !== `schedule ${missing}`);
  deploy(SECRETS, without);
  const close = planDeployment(EXAMPLE, 'close');
  const pausing = close.filter(({ what }) => what === `pause schedule ${paused}`);
  deploy({}, pausing);
  const { made } = deploy({}, close);
  expect(made.flatMap((line) => /jobs pause encryption-(\S+)/.exec(line)?.[1] ?? [])).toEqual(enabled);
  expect(made).toContainEqual(expect.stringMatching(/gateways update .*--update-labels=closed=true$/));
});

test.each([
  ['closed', 'false', 'true'],
  ['opened', 'true', 'false'],
])('if the service is %s during a deployment, its router and seal-audit functions are told', (_, before, meanwhile) => {
  const { made } = deploy({ ...SECRETS, CLOSED_NOW: before, CLOSED_MEANWHILE: meanwhile });
  expect(made.filter((line) => line.includes('run deploy') && line.includes(`CLOSED=${before}`))).toHaveLength(2);
  const told = made.filter((line) => line.includes('run services update encryption-'));
  expect(told).toEqual(
    ['router', 'seal-audit'].map((name) =>
      expect.stringMatching(new RegExp(`update encryption-${name} .*CLOSED=${meanwhile}$`)),
    ),
  );
  expect(made).toContainEqual(expect.stringMatching(new RegExp(`gateways create .*closed=${meanwhile}$`)));
});

test('--open opens the gateway after all other steps, then the router, and then tests the service', () => {
  const { made, all } = run('deploy and open', { CLOSED_NOW: 'true' });
  expect(all.at(-1)).toBe(SMOKE_TEST);
  const [gateway = '', router = ''] = made.slice(-3);
  expect(gateway).toMatch(/gateways update .*closed-false-\w+ .*--update-labels=closed=false$/);
  expect(router).toMatch(/run services update encryption-router .*CLOSED=false$/);
  const before = made.slice(0, -3).filter((line) => OPENS_SERVICE.test(line));
  expect(before).toEqual([
    expect.stringMatching(/run services update encryption-seal-audit .*CLOSED=false$/),
    ...Object.keys(SCHEDULES).map((name) => expect.stringContaining(`jobs resume encryption-${name} `)),
  ]);
});

test('each revision with a new CLOSED gets the traffic, even if a failed smoke test had pinned it', () => {
  const meanwhile = { ...SECRETS, CLOSED_NOW: 'false', CLOSED_MEANWHILE: 'true' };
  for (const { made } of [deploy(meanwhile), run('close'), run('deploy and open', { CLOSED_NOW: 'true' })]) {
    const next = made.flatMap((line, at) => (line.includes('run services update encryption-') ? [made[at + 1]] : []));
    expect(next.toSorted()).toEqual(
      ['router', 'seal-audit'].map((name) => expect.stringContaining(`update-traffic encryption-${name} --to-latest `)),
    );
  }
});

test('a service is not opened if an earlier step fails, and the message says how to continue', () => {
  const at = planDeployment(EXAMPLE, 'deploy and open');
  deploy();
  const off = { CLOSED_NOW: 'true', OFF: readCommand('point-in-time recovery is on') };
  const { stderr, made } = failToDeploy(off, renderScript(EXAMPLE, at, 'npm run deploy -- --open'));
  expect(stderr).toContain('then run npm run deploy -- --open again.');
  expect(made.filter((line) => OPENS_SERVICE.test(line))).toEqual([]);
});

test('--help lists every option', () => {
  const { status, stdout } = runDeploy({}, ['--help']);
  expect(status).toBe(0);
  expect([...stdout.matchAll(/^ {2}(--\w+)/gm)].map(([, option]) => option)).toEqual([
    ...['--plan', '--check', '--closed', '--open', '--yes', '--destroy', '--keys', '--deployment'],
  ]);
});

test.for([
  ['--closed --open', '--closed and --open cannot be used together'],
  ['--check --plan', '--check and --plan cannot be used together'],
  ['--check --closed', '--check and --closed cannot be used together'],
  ['--check --open', '--check and --open cannot be used together'],
  ['--keys', '--keys needs --destroy'],
])('the options %s are refused, so that nobody thinks that they deploy', ([options = '', message]) => {
  const refused = { status: 2, stdout: '', stderr: `deploy: ${message}\n` };
  expect(runDeploy({}, options.split(' '))).toMatchObject(refused);
});

const failing = { FAIL: SMOKE_TEST };

test('if the smoke test fails after an update, callers use the previous revisions and gateway document again', () => {
  const { stderr, all } = run('deploy', { ...failing, PREVIOUS: 'earlier' }, failToDeploy);
  expect(stderr).toContain('deploy: failed at step: smoke test. Callers use the previous revisions again.');
  const after = all.filter((line) => /PREVIOUS|earlier/.test(line));
  expect(after).toEqual([
    expect.stringMatching(/gateways update encryption .*--api-config=earlier /),
    ...FUNCTION_NAMES.map((name) =>
      expect.stringMatching(new RegExp(`update-traffic encryption-${name} .*--to-revisions=earlier=100$`)),
    ),
  ]);
  expect(all.filter((line) => line.includes('labels=closed=true'))).toEqual([]);
});

test.for([
  ['a first deployment', 'deploy', ''],
  ['an opening', 'deploy and open', 'true'],
] as const)('if the smoke test fails after %s, the service is closed', ([, kind, closed]) => {
  const { stderr, all } = run(kind, { ...failing, CLOSED_NOW: closed }, failToDeploy);
  expect(stderr).toContain('deploy: failed at step: smoke test. The service is closed.');
  expect(all).toContainEqual(expect.stringMatching(/gateways update .*--update-labels=closed=true$/));
  expect(all.filter((line) => line.includes('--to-revisions'))).toEqual([]);
});

test('a gateway without a label is open, so a failed smoke test returns to its configuration', () => {
  expect(readCommand('gateway configuration before this deployment')).toContain('" AND NOT labels.closed=true ');
});

test('at the end of a deployment, the script checks that the database is protected', () => {
  for (const what of ['delete protection is on', 'point-in-time recovery is on', 'daily backups are kept for 7 days']) {
    const { stderr } = failToDeploy({ ...SECRETS, OFF: readCommand(what) });
    expect(stderr).toMatch(/^found: , expected: \w+$/m);
    expect(stderr).toContain(`deploy: failed at step: ${what}.`);
  }
});

test('Cloud Run restarts each container that stops answering', () => {
  const containers = changes
    .map(({ create }) => commandLine(create))
    .filter((line) => line.startsWith('gcloud run deploy'))
    .flatMap((line) => line.split(' --container=').slice(1));
  const probed = /--liveness-probe=httpGet\.path=(?:\/health|\/_cerbos\/health),httpGet\.port=/;
  expect(containers.length).toBeGreaterThan(10);
  expect(containers.filter((container) => !probed.test(container))).toEqual([]);
});

test('alerts notify a channel of the deployment itself, even if another channel has the same address', () => {
  const [channel] = changes.filter(({ what }) => what === 'notification channel for alerts');
  expect(commandLine(channel?.find ?? [])).toContain(' AND displayName="Encryption service"');
  expect(commandLine(channel?.create ?? [])).toContain(' --display-name=Encryption service ');
});

test.for([EXAMPLE, WITHOUT_CONSOLE, DOMAIN])(
  'a function loses the secrets that a deployment file no longer needs (%#)',
  (deployment) => {
    const flags = planDeployment(deployment).flatMap((step) => {
      const [, own] = ('create' in step ? step.create.join(' ') : '').split(' --container=function --source=dist/');
      return own === undefined ? [] : [/ --(clear|set)-secrets/.exec(own)?.[1]];
    });
    expect(flags).toEqual(FUNCTION_NAMES.map((name) => (secretsOf(deployment, name).length > 0 ? 'set' : 'clear')));
  },
);

test('the documentation is published only if the deployment wants it', () => {
  const publishes = (docs: boolean) => {
    const deployment = { ...EXAMPLE, docs };
    return renderScript(deployment, planDeployment(deployment)).includes('--docs');
  };
  expect(EXAMPLE.docs).toBe(false);
  expect([publishes(false), publishes(true)]).toEqual([false, true]);
});
