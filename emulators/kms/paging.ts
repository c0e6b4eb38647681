import { invalidArgument, unimplemented } from './kms-error.ts';
import type { ListRequest } from './messages.ts';

const DEFAULT_PAGE_SIZE = 100;
const MAX_PAGE_SIZE = 1000;

const offsetOf = (token: string) => {
  if (token === '') return 0;
  const offset = Number(Buffer.from(token, 'base64url').toString());
  if (!Number.isSafeInteger(offset) || offset < 1) throw invalidArgument('Invalid value in field page_token.');
  return offset;
};

/**
 * The page that a List request asks for and the token of the next one, empty at the end. Resources are never deleted
 * and new ones come last, so an offset is a stable token. Throws INVALID_ARGUMENT, UNIMPLEMENTED for filters.
 */
export const pageOf = <Resource>(resources: readonly Resource[], request: ListRequest) => {
  if (request.filter !== '' || request.orderBy !== '') throw unimplemented('filter and order_by');
  if (request.pageSize < 0) throw invalidArgument('Invalid value in field page_size.');
  const start = offsetOf(request.pageToken);
  const end = start + Math.min(request.pageSize || DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE);
  const nextPageToken = end < resources.length ? Buffer.from(String(end)).toString('base64url') : '';
  return { page: resources.slice(start, end), nextPageToken, totalSize: resources.length };
};
