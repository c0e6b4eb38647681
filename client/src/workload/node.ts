interface FileSystem {
  readFile(path: string, encoding: 'utf8'): Promise<string>;
}

// In a browser, `process` does not exist.
declare const process:
  | {
      readonly env: Readonly<Record<string, string | undefined>>;
      getBuiltinModule?(name: 'node:fs/promises'): FileSystem;
    }
  | undefined;

/** Returns an environment variable that is set and not empty. */
export function variable(name: string): string | undefined {
  return (typeof process === 'undefined' ? undefined : process.env[name]) || undefined;
}

/** Returns Node's file system, or `undefined` in a browser. */
export async function findFileSystem(): Promise<FileSystem | undefined> {
  if (typeof process === 'undefined') return undefined;
  // Bundlers for browsers do not resolve the import of a variable. Node before 20.16 has no `getBuiltinModule`.
  const name: string = 'node:fs/promises';
  return (
    process.getBuiltinModule?.('node:fs/promises') ??
    import(/* webpackIgnore: true */ /* @vite-ignore */ name).catch(() => undefined)
  );
}
