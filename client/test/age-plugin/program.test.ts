import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { concat } from '../../src/files/bytes.ts';
import { encodeStanza } from '../../src/files/stanza.ts';
import { COMPILE_CACHE, ESK } from '../support/esk.ts';
import { stanza } from '../support/scripted-peer.ts';

const PROGRAM = join(dirname(ESK), 'age-plugin-esk.js');

test.each([
  ['recipient-v1', 'add-recipient age1esk1'],
  ['identity-v1', 'add-identity AGE-PLUGIN-ESK-1'],
])(
  'if age closes the output pipe during %s, the plugin prints a one-line error and exits with 1',
  async (stateMachine, command) => {
    const child = spawn(process.execPath, [PROGRAM, `--age-plugin=${stateMachine}`], {
      env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: COMPILE_CACHE },
      stdio: 'pipe',
    });
    const [stderr, closed] = [text(child.stderr), once(child, 'close')];
    child.stdout.destroy();
    await once(child.stdout, 'close');
    // The plugin must exit even though its input stays open.
    child.stdin.write(concat(...[stanza(command), stanza('done')].map(encodeStanza)));
    expect(await stderr).toBe(
      'age-plugin-esk: closed_pipe: standard output was closed before all output was written\n',
    );
    expect(await closed).toEqual([1, null]);
  },
);
