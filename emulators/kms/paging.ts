import { invalidArgument } from './kms-error.ts';
import type { ListRequest } from './messages.ts';

const DEFAULT_PAGE_SIZE = 100;
const MAX_PAGE_SIZE = 1000;

function offsetOf(token: string): number {
  if (token === '') return 0;
  const offset = Number(Buffer.from(token, 'base64url').toString());
  if (!Number.isSafeInteger(offset) || offset < 1) throw invalidArgument('Invalid value in field page_token.');
  return offset;
}

export interface Page<Resource> {
  readonly page: Resource[];
  /** The token of the next page. Empty on the last page. */
  readonly nextPageToken: string;
  readonly totalSize: number;
}

/**
 * Returns a page of resources. The page token is an offset. An offset stays correct, because resources are never
 * deleted and new ones come last. Can throw INVALID_ARGUMENT.
 */
export function pageOf<Resource>(
  resources: readonly Resource[],
  request: ListRequest,
  passes: (resource: Resource) => boolean = () => true,
): Page<Resource> {
  if (request.pageSize < 0) throw invalidArgument('Invalid value in field page_size.');
  const start = offsetOf(request.pageToken);
  const size = Math.min(request.pageSize || DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE);
  const passing = resources.flatMap((resource, offset) => (passes(resource) ? [{ resource, offset }] : []));
  const rest = passing.filter(({ offset }) => offset >= start);
  const next = rest[size];
  const nextPageToken = next === undefined ? '' : Buffer.from(String(next.offset)).toString('base64url');
  return { page: rest.slice(0, size).map(({ resource }) => resource), nextPageToken, totalSize: passing.length };
}
