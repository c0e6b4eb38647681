import type { Config } from '../config.ts';
import { connect } from './connect.ts';
import { Marks } from './marks.ts';
import { Store } from './store.ts';

export function openStore(config: Pick<Config, 'project' | 'firestoreEmulatorHost' | 'sealing'>): Store {
  return new Store(connect(config), config.sealing && new Marks());
}
