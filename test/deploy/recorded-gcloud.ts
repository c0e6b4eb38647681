import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
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

/** Runs deploy/main.ts with a gcloud and a curl that answer from this state. */
export function runDeploy(state: State, args: readonly string[], input = '') {
  const folder = temporaryFolder('drift');
  // Each answer is a file that is named after its command.
  const program = `#!/bin/bash
[[ $0 == */curl ]] && cat > /dev/null
words=("$@"); name="\${words[*]:0:$#-1}"; name="${folder}/\${name//\\//_}.json"
[ -f "$name" ] || { echo PERMISSION_DENIED >&2; exit 1; }
echo "$(< "$name")"
`;
  for (const name of ['gcloud', 'curl']) writeFileSync(join(folder, name), program, { mode: 0o755 });
  for (const [command, answer] of Object.entries(state))
    writeFileSync(join(folder, `${command.replaceAll('/', '_')}.json`), JSON.stringify(answer));
  const file = join(ROOT, 'deploy/deployment.example.json');
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(ROOT, 'deploy/main.ts'), '--deployment', file, ...args],
    { encoding: 'utf8', env: { PATH: `${folder}:${process.env.PATH}` }, input },
  );
  return { status, stdout, stderr };
}
