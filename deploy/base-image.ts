import { createHash } from 'node:crypto';
import { z } from 'zod';

const FROM = /^FROM ([\w.-]+)\/([\w./-]+):([\w.-]+)@(sha256:[0-9a-f]{64})$/m;
const INDEXES = 'application/vnd.oci.image.index.v1+json, application/vnd.docker.distribution.manifest.list.v2+json';

/** An image in a Dockerfile that is pinned by its digest. */
interface BaseImage {
  readonly registry: string;
  readonly repository: string;
  readonly version: string;
  readonly digest: string;
}

/** Returns the base image of a Dockerfile. Throws an `Error` if the image is not pinned. */
export function readBaseImage(dockerfile: string): BaseImage {
  const [, registry, repository, version, digest] = FROM.exec(dockerfile) ?? [];
  if (registry === undefined || repository === undefined || version === undefined || digest === undefined)
    throw new Error('the Dockerfile does not pin its base image by digest');
  return { registry, repository, version, digest };
}

/** Returns the Dockerfile with another version and digest of its base image. */
export function pinBaseImage(dockerfile: string, version: string, digest: string): string {
  const { registry, repository } = readBaseImage(dockerfile);
  return dockerfile.replace(FROM, `FROM ${registry}/${repository}:${version}@${digest}`);
}

/**
 * Asks the registry for the digest of a version of an image for all platforms. Computes the digest from the content,
 * because a registry could answer with any header. `origin` is the registry's URL.
 */
export async function fetchDigest(origin: string, repository: string, version: string): Promise<string> {
  const asked = await fetch(`${origin}/token?scope=repository:${repository}:pull`);
  const { token } = z.object({ token: z.string() }).parse(await asked.json());
  const url = `${origin}/v2/${repository}/manifests/${version}`;
  const answer = await fetch(url, { headers: { accept: INDEXES, authorization: `Bearer ${token}` } });
  if (!answer.ok) throw new Error(`${url}: ${answer.status}`);
  const digest = `sha256:${createHash('sha256')
    .update(Buffer.from(await answer.arrayBuffer()))
    .digest('hex')}`;
  const claimed = answer.headers.get('docker-content-digest');
  if (claimed !== null && claimed !== digest)
    throw new Error(`${url}: the content has the digest ${digest}, not ${claimed}`);
  return digest;
}
