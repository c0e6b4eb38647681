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

/** Returns Node's file system. Does not import it, so that bundlers for browsers need no configuration. */
export function findFileSystem(): FileSystem | undefined {
  return typeof process === 'undefined' ? undefined : process.getBuiltinModule?.('node:fs/promises');
}
