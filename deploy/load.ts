/*
 * The main module of a deployed function: runs bundle.cjs with the code cache that warm.ts has written beside it, so
 * that V8 compiles nothing at a start. V8 rejects the cache of another version or of other flags, and then compiles.
 * Node's own compile cache would hold only what is compiled before a module runs, which in a bundle is next to nothing.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { constants, Script } from 'node:vm';

const BUNDLE = join(import.meta.dirname, 'bundle.cjs');
const CODE_CACHE = join(import.meta.dirname, 'code-cache');
const HEAD = '(require,module,exports,__filename,__dirname)=>{';

// esbuild writes ASCII, and so nothing has to be decoded.
const script = new Script(`${HEAD}${readFileSync(BUNDLE, 'latin1')}\n}`, {
  filename: BUNDLE,
  columnOffset: -HEAD.length,
  cachedData: existsSync(CODE_CACHE) ? readFileSync(CODE_CACHE) : undefined,
  importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
});
const module = { exports: {} };
script.runInThisContext()(createRequire(BUNDLE), module, module.exports, BUNDLE, import.meta.dirname);

/** Writes the code cache with what has been compiled so far. */
export function writeCodeCache(): void {
  writeFileSync(CODE_CACHE, script.createCachedData());
}
