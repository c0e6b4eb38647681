import { wrapFileKey } from '../files/service-stanza.ts';
import type { Stanza } from '../files/stanza.ts';
import type { Peer, PluginService } from './peer.ts';
import { keyIdOfRecipient } from './recipient.ts';

const FILE_KEY_LENGTH = 16;

interface Request {
  readonly recipients: string[];
  readonly identities: string[];
  readonly fileKeys: Uint8Array[];
}

interface Problem {
  readonly about: readonly (string | number)[];
  readonly message: string;
}

/** Runs the state machine `recipient-v1` of C2SP age-plugin.md. */
export async function wrapForRecipients(peer: Peer, service: PluginService): Promise<void> {
  const request = await readRequest(peer);
  const problems = problemsOf(request, service);
  const wrapped = problems.length > 0 ? [] : await wrapAll(request, service, problems);
  if (problems.length > 0) {
    for (const { about, message } of problems) await peer.sendError(about, message);
  } else {
    for (const { file, stanza } of wrapped) {
      await peer.send(['recipient-stanza', String(file), ...stanza.args], stanza.body);
    }
  }
  await peer.done();
}

async function readRequest(peer: Peer): Promise<Request> {
  const request: Request = { recipients: [], identities: [], fileKeys: [] };
  for await (const { args, body } of peer.commands()) {
    const [command, argument = ''] = args;
    if (command === 'add-recipient') request.recipients.push(argument);
    if (command === 'add-identity') request.identities.push(argument);
    if (command === 'wrap-file-key') request.fileKeys.push(body);
  }
  return request;
}

function problemsOf({ recipients, identities, fileKeys }: Request, service: PluginService): Problem[] {
  const problems: Problem[] = [];
  for (const [index, recipient] of recipients.entries()) {
    try {
      keyIdOfRecipient(recipient);
    } catch (error) {
      problems.push({ about: ['recipient', index], message: service.explain(error) });
    }
  }
  for (const index of identities.keys()) {
    const message =
      'cannot encrypt with -j esk, because it does not say which key to use; use -r "$(esk keys recipient KEY)"';
    problems.push({ about: ['identity', index], message });
  }
  if (fileKeys.some(({ length }) => length !== FILE_KEY_LENGTH)) {
    problems.push({ about: ['internal'], message: `a file key must be ${FILE_KEY_LENGTH} bytes long` });
  }
  return problems;
}

async function wrapAll(request: Request, service: PluginService, problems: Problem[]) {
  const wrapped: { readonly file: number; readonly stanza: Stanza }[] = [];
  let about: Problem['about'] = ['internal'];
  try {
    const connected = await service.connect();
    for (const [index, recipient] of request.recipients.entries()) {
      about = ['recipient', index];
      for (const [file, fileKey] of request.fileKeys.entries()) {
        wrapped.push({ file, stanza: await wrapFileKey(connected, keyIdOfRecipient(recipient), fileKey) });
      }
    }
  } catch (error) {
    problems.push({ about, message: service.explain(error) });
  }
  return wrapped;
}
