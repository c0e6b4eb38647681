import { isRefusal, isServiceStanza, keyIdOf, MAX_KEYS, unwrapStanza } from '../files/service-stanza.ts';
import type { Stanza } from '../files/stanza.ts';
import type { Peer, PluginService } from './peer.ts';
import { IDENTITY } from './recipient.ts';

interface File {
  readonly number: string;
  readonly stanzas: Stanza[];
}

/** Runs the state machine `identity-v1` of C2SP age-plugin.md. */
export async function unwrapWithIdentities(peer: Peer, service: PluginService): Promise<void> {
  const { identities, files } = await readRequest(peer);
  const invalid = [...identities.keys()].filter((index) => identities[index] !== IDENTITY);
  for (const index of invalid)
    await peer.sendError(
      ['identity', index],
      `not the esk identity; use -j esk, or put ${IDENTITY} in the identity file`,
    );
  if (invalid.length === 0 && identities.length > 0) {
    for (const file of files) await openFile(peer, service, file);
  }
  await peer.done();
}

async function readRequest(peer: Peer): Promise<{ identities: string[]; files: File[] }> {
  const identities: string[] = [];
  const files = new Map<string, File>();
  for await (const { args, body } of peer.commands()) {
    const [command, argument = '', ...stanza] = args;
    if (command === 'add-identity') identities.push(argument);
    if (command !== 'recipient-stanza') continue;
    const file = files.get(argument) ?? { number: argument, stanzas: [] };
    file.stanzas.push({ args: stanza, body });
    files.set(argument, file);
  }
  return { identities, files: [...files.values()] };
}

/**
 * Unwraps the file key of a file and sends it. If no stanza can be unwrapped, sends the errors instead. Skips a file
 * without `esk` stanzas.
 */
async function openFile(peer: Peer, service: PluginService, { number, stanzas }: File): Promise<void> {
  const known = [...stanzas.entries()].filter(([, stanza]) => isServiceStanza(stanza));
  const malformed = known.filter(([, stanza]) => keyIdOf(stanza) === undefined);
  if (malformed.length > 0) {
    for (const [index] of malformed)
      await peer.sendError(['stanza', number, index], 'the file contains a malformed esk stanza');
    return;
  }
  if (known.length > MAX_KEYS)
    return peer.sendError(['internal'], `the file is encrypted for more than ${MAX_KEYS} keys, which is not supported`);
  const problems: { readonly index: number; readonly message: string }[] = [];
  for (const [index, stanza] of known) {
    const opened = await attempt(stanza, service);
    if ('fileKey' in opened) return peer.send(['file-key', number], opened.fileKey);
    problems.push({ index, message: service.explain(opened.error) });
    if (!isRefusal(opened.error)) break;
  }
  for (const { index, message } of problems) await peer.sendError(['stanza', number, index], message);
}

async function attempt(stanza: Stanza, service: PluginService): Promise<{ fileKey: Uint8Array } | { error: unknown }> {
  try {
    return { fileKey: await unwrapStanza(await service.connect(), stanza, {}) };
  } catch (error) {
    return { error };
  }
}
