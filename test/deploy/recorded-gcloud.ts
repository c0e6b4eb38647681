import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Ask } from '../../deploy/drift/resource.ts';
import { ROOT } from '../sources.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import type { State } from './recorded-state.ts';

/** A gcloud that answers from a recorded state. A command that is not recorded fails. */
export function gcloudWith(state: State): Ask {
  return ([, ...words], output) => {
    const command = words.join(' ');
    if (!(command in state)) throw new Error(`not recorded: ${command}`);
    return output.parse(state[command]);
  };
}

/**
 * Runs deploy/main.ts with a gcloud and a curl that answer from this state. With `accepts`, commands that are not recorded
 * succeed, and are returned as `changes`.
 */
export function runDeploy(state: State, args: readonly string[], input = '', accepts = false) {
  const folder = temporaryFolder('drift');
  // Each answer is a file that is named after its command.
  const program = `#!/bin/bash
[[ $0 == */curl ]] && cat > /dev/null
words=("$@"); name="\${words[*]:0:$#-1}"; name="${folder}/\${name//\\//_}.json"
[ -f "$name" ] || { ${accepts ? `echo "\${0##*/} $*" >> '${folder}/changes'; exit 0` : 'echo PERMISSION_DENIED >&2; exit 1'}; }
echo "$(< "$name")"
`;
  for (const name of ['gcloud', 'curl', 'npx']) writeFileSync(join(folder, name), program, { mode: 0o755 });
  for (const [command, answer] of Object.entries(state))
    writeFileSync(join(folder, `${command.replaceAll('/', '_')}.json`), JSON.stringify(answer));
  const file = join(ROOT, 'deploy/deployment.example.json');
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(ROOT, 'deploy/main.ts'), '--deployment', file, ...args],
    { encoding: 'utf8', env: { PATH: `${folder}:${process.env.PATH}` }, input },
  );
  const changes = accepts ? readFileSync(join(folder, 'changes'), 'utf8').split('\n').slice(0, -1) : [];
  return { status, stdout, stderr, changes };
}
