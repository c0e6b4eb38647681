import { spawnSync } from 'node:child_process';

/** Whether a program with this name can be started. */
export function isInstalled(program: string): boolean {
  return spawnSync('which', [program], { stdio: 'ignore' }).status === 0;
}

/** Returns a Python that has hvac, a client for Vault, if there is one. Debian's package is for Debian's Python. */
export function findPythonWithHvac(): string | undefined {
  return ['/usr/bin/python3', 'python3'].find((python) => spawnSync(python, ['-c', 'import hvac']).status === 0);
}
