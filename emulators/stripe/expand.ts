import type { Account } from './account.ts';
import { loadCustomer, viewCustomer } from './customers.ts';
import { invalidRequest } from './errors.ts';
import { viewInvoice } from './invoice-view.ts';
import { loadInvoice } from './invoices.ts';
import { viewPrice } from './price-view.ts';
import { loadPrice } from './prices.ts';
import { loadProduct, viewProduct } from './products.ts';
import { loadSubscription } from './subscription-lifecycle.ts';
import { viewSubscription } from './subscription-view.ts';

const lookups: Record<string, (account: Account, id: string) => object> = {
  cus: ({ state }, id) => viewCustomer(loadCustomer(state, id)),
  in: (account, id) => viewInvoice(account, loadInvoice(account.state, id)),
  price: (account, id) => viewPrice(loadPrice(account, id)),
  prod: ({ state }, id) => viewProduct(loadProduct(state, id)),
  sub: (account, id) => viewSubscription(account, loadSubscription(account.state, id)),
};

/**
 * The answer with the ids at these paths replaced by their objects (`data.customer` in a list). Throws for a path that
 * leads to no id. https://docs.stripe.com/api/expanding_objects
 */
export function expandAnswer(account: Account, answer: object, paths: readonly string[]): object {
  return paths.reduce<object>((expanded, path) => {
    const result = expandAt(account, expanded, path.split('.'), path);
    return isRecord(result) ? result : expanded;
  }, answer);
}

function expandAt(account: Account, value: unknown, steps: readonly string[], path: string): unknown {
  if (value === null) {
    return null;
  }
  if (Array.isArray(value)) {
    return value.map((item) => expandAt(account, item, steps, path));
  }
  if (typeof value === 'string') {
    const find = lookups[value.split('_')[0] ?? ''];
    if (find === undefined) {
      throw cannotExpand(path);
    }
    return expandAt(account, find(account, value), steps, path);
  }
  const [step, ...rest] = steps;
  if (step === undefined) {
    return value;
  }
  if (!isRecord(value) || !(step in value)) {
    throw cannotExpand(path);
  }
  return { ...value, [step]: expandAt(account, value[step], rest, path) };
}

function cannotExpand(path: string) {
  return invalidRequest(`This property cannot be expanded (${path}).`, { param: 'expand' });
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
