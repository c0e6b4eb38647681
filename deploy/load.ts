/*
 * The main module of a deployed function. Runs bundle.cjs with the code cache from warm.ts, so that V8 need not compile
 * the code at startup. V8 ignores a cache that was made by another version or with other flags. Node's own compile
 * cache would not help: it contains only code that is compiled before a module runs, a small part of a bundle.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { constants, Script } from 'node:vm';

const BUNDLE = join(import.meta.dirname, 'bundle.cjs');
const CODE_CACHE = join(import.meta.dirname, 'code-cache');
const HEAD = '(require,module,exports,__filename,__dirname)=>{';

// esbuild writes only ASCII. So `latin1` is correct, and it is faster than decoding UTF-8.
const script = new Script(`${HEAD}${readFileSync(BUNDLE, 'latin1')}\n}`, {
  filename: BUNDLE,
  columnOffset: -HEAD.length,
  cachedData: existsSync(CODE_CACHE) ? readFileSync(CODE_CACHE) : undefined,
  importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
});
const module = { exports: {} };
script.runInThisContext()(createRequire(BUNDLE), module, module.exports, BUNDLE, import.meta.dirname);

/** Writes all code that V8 has compiled so far to the code cache. */
export function writeCodeCache(): void {
  writeFileSync(CODE_CACHE, script.createCachedData());
}
